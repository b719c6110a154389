"""Registration of a user with a company. The user has to verify the address before anything else."""

from __future__ import annotations

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction

from accounts.auth.limits import REGISTRATIONS
from accounts.auth.passwords.services import check_strength, send_reset_link
from accounts.auth.timing import minimum_duration
from accounts.auth.verification.services import send_verification
from accounts.programs.referrals import record_referral
from accounts.registration.companies import create_company
from accounts.users.models import User
from core.access.callers import Caller
from core.errors import NamedError
from core.text.addresses import Phone
from core.text.timezones import is_timezone
from core.types import JsonObject


def register(
    *,
    name: str,
    email: str,
    password: str,
    company_name: str,
    caller: Caller,
    timezone: str = "UTC",
    country: str = "",
    currency: str = "",
    contact_number: Phone | None = None,
    referral_code: str = "",
) -> None:
    """Create a user and their company, in one transaction with the mail that verifies the address.

    A taken address gets the same answer, and its owner a mail. Raises InvalidTimezone_400, and ValidationFailed for a
    weak password.
    """
    REGISTRATIONS.count(caller.network)
    if not is_timezone(timezone):
        raise NamedError("InvalidTimezone_400", "enter a time zone, such as Europe/Berlin", field="timezone")
    user = User(email=email.strip().lower(), name=name)
    check_strength(password, user)
    existing = User.objects.filter(email=user.email).first()
    # Every case hashes once, and takes the same time afterwards.
    is_same = existing is not None and check_password(password, existing.password)
    if existing is None:
        user.password = make_password(password)
    profile: JsonObject = {"timezone": timezone, "country": country, "currency": currency}
    if contact_number is not None:
        profile |= {"country_code": contact_number.country_code, "number": contact_number.number}
    with minimum_duration(0.5), transaction.atomic():
        # One answer for new and taken addresses: otherwise the form would tell who has an account.
        if existing is not None:
            _mail_owner(user.email, is_same)
        elif not _add(user):
            _mail_owner(user.email, check_password(password, User.objects.get(email=user.email).password))
        else:
            company, _ = create_company(name=company_name, owner=user, **profile)
            if referral_code:
                record_referral(user=user, company=company, code=referral_code)
            send_verification(user)


def _add(user: User) -> bool:
    """Insert the user. Returns False if a concurrent registration has taken the address."""
    try:
        with transaction.atomic():
            # Python creates the id, so that a plain save would first try an UPDATE.
            user.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _mail_owner(email: str, is_same: bool) -> None:
    """Mail the owner of a taken address; `is_same` is True if the caller knows the account's password.

    Another person may have created an account that was never verified. Its verification links become invalid, and the
    owner gets a link that sets a password. A caller who knows the password has registered twice, and gets the first
    mail again.
    """
    user = User.objects.select_for_update(no_key=True).get(email=email)
    if user.email_verified_at is None:
        if is_same:
            send_verification(user)
            return
        # The version is part of the state that links are signed over, so all earlier ones become invalid.
        user.session_version += 1
        user.save(update_fields=["session_version", "updated_at"])
    send_reset_link(user, kind="already_registered")
