"""The demo's stand-in for Google: its log-in, calendars that remember what is written, and a Gmail that takes mail.

No Django here.
"""

ACCOUNT = "robin@roastery.example"
