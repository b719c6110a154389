"""How dates are shown: to the second, and so that they sort as text."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i:s"
