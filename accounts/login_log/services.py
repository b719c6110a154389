"""The login log: every attempt, successful or not. It never holds a password, a token, or text that might be one."""

from __future__ import annotations

import re

from accounts.login_log.models import LoginLog
from accounts.users.memberships import SEATED
from accounts.users.models import User
from core.access.callers import Caller
from core.tenancy import unscoped

ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,189}")
NO_ADDRESS = "(no email address)"


def record_login(*, email: str, status: str, caller: Caller, user: User | None = None, reason: str = "") -> None:
    """Log the attempt once for each company of the user, or once without company, for the staff."""
    # People sometimes type the password into the address field.
    tried = email.strip() if ADDRESS.fullmatch(email.strip()) else NO_ADDRESS
    if user is not None:
        tried = user.email
    with unscoped(reason="login log: the companies of one user, or none"):
        companies: list[str | None] = []
        if user is not None:
            companies += user.memberships.filter(status__in=SEATED).values_list("company_id", flat=True)
        LoginLog.objects.bulk_create(
            LoginLog(
                company_id=company,
                user=user,
                email=tried,
                status=status,
                reason=reason,
                ip=caller.ip,
                user_agent=caller.user_agent,
            )
            for company in companies or [None]
        )
