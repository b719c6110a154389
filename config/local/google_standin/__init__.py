"""The demo's stand-in for Google: its log-in, calendars that store written events, and a Gmail that accepts mail.

No Django here.
"""

ACCOUNT = "robin@roastery.example"
