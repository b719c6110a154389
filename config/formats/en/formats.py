"""Date formats of the back office: to the second, and sortable as text."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i:s"
