"""Limits on attempts to log in to an account (core.access.attempts).

Above the limit of a network address further attempts are refused (429). So they are above the two limits of an account.
The low one counts each network, so that ten wrong passwords lock no user out. The high one counts all networks
together, against guesses from many.

Mails to one address are silently dropped above their limit. This protects the mailbox, and the response reveals
nothing.
"""

from __future__ import annotations

from core.access.attempts import Limit

HOUR = 3600

LOGINS_OF_ADDRESS = Limit("login-address", 30, 600)
"""Failed logins. Successful ones are refunded, so that an office with one address can start its day."""
LOGINS_OF_ACCOUNT = Limit("login-account", 10, 900)
"""Logins to one account from one network."""
LOGINS_OF_ACCOUNT_ANYWHERE = Limit("login-account-anywhere", 500, HOUR)
"""Logins to one account from all networks.

One network adds at most 40 an hour, because attempts refused by its own limit are not counted here. It takes 13
networks to lock an account, and guessing stays hopeless at 12,000 a day.
"""
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


def count_login(email: str, network: str) -> None:
    """Count an attempt to log in. Raises TooManyAttempts above any of the limits."""
    # The narrow limits come first. An attempt that they refuse is not counted against the account as a whole,
    # which would let one network lock a person out everywhere.
    LOGINS_OF_ADDRESS.count(network)
    LOGINS_OF_ACCOUNT.count(_account_in(network, email))
    LOGINS_OF_ACCOUNT_ANYWHERE.count(_account(email))


def forget_failed_logins(email: str, network: str) -> None:
    """Take back a successful login from the counts, and forget the failed ones to the account from this network."""
    # Refunded and not reset: another person at the same address may be guessing.
    LOGINS_OF_ADDRESS.refund(network)
    LOGINS_OF_ACCOUNT.reset(_account_in(network, email))
    LOGINS_OF_ACCOUNT_ANYWHERE.refund(_account(email))


def unlock_account(email: str, network: str) -> None:
    """Forget the attempts to log in to the account, from this network and from all together."""
    LOGINS_OF_ACCOUNT.reset(_account_in(network, email))
    LOGINS_OF_ACCOUNT_ANYWHERE.reset(_account(email))


def _account(email: str) -> str:
    return email.strip().lower()


def _account_in(network: str, email: str) -> str:
    return f"{network} {_account(email)}"
