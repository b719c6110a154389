"""How many attempts to enter an account are allowed (core.access.attempts).

The limit of a network address refuses further attempts (429). The limit of an account refuses logins too. Mails to one
address just stop, so that nobody floods a mailbox and the answer still tells nothing.
"""

from __future__ import annotations

from core.access.attempts import Limit

HOUR = 3600

LOGINS_OF_ADDRESS = Limit("login-address", 30, 600)
"""Failed logins. Successful ones are given back, so that an office behind one address can start its day."""
LOGINS_OF_ACCOUNT = Limit("login-account", 10, 900)
REFUSALS_LOGGED = Limit("login-refusals", 10, 600)
"""Rows of the login log for refused attempts from one address."""
REGISTRATIONS = Limit("register", 20, HOUR)
LINKS_OF_ADDRESS = Limit("link-address", 30, HOUR)
"""Requests for a link from one address."""
LINKS_OF_ACCOUNT = Limit("link-account", 5, HOUR)
"""Mails of one kind with a link to one account, which strangers can cause."""
REDEMPTIONS = Limit("redeem", 60, 600)
"""Links used from one address, valid or not."""
PASSWORD_CHANGES = Limit("change-password", 10, 900)
"""Failed password changes of one user."""
