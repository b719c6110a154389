"""The service's own mails."""

from __future__ import annotations

from config.env import env
from config.settings.base import DEMO

EMAIL_URL = env("EMAIL_URL", default="")
"""The server of the service's own mails: smtp+tls://user:password@host:587, smtp+ssl://…:465, smtp://…:25."""
SENDS_MAIL = bool(EMAIL_URL) or DEMO
"""Without a server mails wait in the queue. The demo sends them to its mail catcher."""
if EMAIL_URL:
    globals().update(env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "config.local.mail_catcher.backend.CatcherBackend" if DEMO else "config.mail.NoServerBackend"
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", default="no-reply@leadwright.example" if DEMO else "no-reply@localhost")
"""The sender of the service's own mails. Its display name is `<company> via Leadwright`, or the service's."""
MEETING_MAILS_PER_DAY = env.int("MEETING_MAILS_PER_DAY", default=1000)
TRIAL_MEETING_MAILS_PER_DAY = env.int("TRIAL_MEETING_MAILS_PER_DAY", default=50)
"""Maximum number of mails about meetings that a company may send in 24 hours to people who are not its members."""
TEST_MAIL_SERVER = "config.local.mail_catcher.backend.current_address" if DEMO else ""
"""The function that returns the address of a mail server which relays nothing; empty: there is none."""
