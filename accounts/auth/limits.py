"""How many attempts to enter an account are allowed (core.access.attempts).

By address: an attempt too many is refused (429). By account: log in is refused too; mails to one address just stop going out, so that
nobody's mailbox is flooded and the answer still tells nothing.
"""

from __future__ import annotations

from core.access.attempts import Limit

HOUR = 3600

LOGINS_OF_ADDRESS = Limit("login-address", 30, 600)
"""Failed ones; those that go well are taken back, so that an office behind one address can begin its day."""
LOGINS_OF_ACCOUNT = Limit("login-account", 10, 900)
REFUSALS_NOTED = Limit("login-refusals", 10, 600)
"""Rows of the login log that refused attempts of one address may fill."""
REGISTRATIONS = Limit("register", 20, HOUR)
LINKS_OF_ADDRESS = Limit("link-address", 30, HOUR)
"""Links asked for from one address."""
LINKS_OF_ACCOUNT = Limit("link-account", 5, HOUR)
"""Mails of one kind with a link to one account, which strangers can cause."""
REDEMPTIONS = Limit("redeem", 60, 600)
"""Links used from one address, good or bad."""
PASSWORD_CHANGES = Limit("change-password", 10, 900)
"""Of one user, failed ones."""
