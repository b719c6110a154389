"""Registration: a user with their company, whose address has to be shown to be theirs before it opens anything."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.utils import timezone as clock

from accounts.auth.limits import LINKS_OF_ACCOUNT, LINKS_OF_ADDRESS, REDEMPTIONS, REGISTRATIONS
from accounts.auth.links import make_token, page_address, read_token
from accounts.auth.models import User
from accounts.auth.passwords import check_strength, send_reset_link
from accounts.auth.timing import unhurried
from accounts.companies.services import create_company
from accounts.mails.services import queue_mail
from accounts.members.models import Member
from accounts.programs.referrals import attribute
from core.access.callers import Caller
from core.errors import NamedError
from core.tenancy import unscoped
from core.text.addresses import Phone
from core.text.timezones import is_timezone

VERIFY = "verify-email"
"""The purpose of the link, and the page that it leads to."""


def register(
    *,
    name: str,
    email: str,
    password: str,
    company_name: str,
    caller: Caller,
    timezone: str = "UTC",
    contact_number: Phone | None = None,
    referral_code: str = "",
) -> None:
    """A user and their company, in one transaction with the mail that asks to verify the address.

    A taken address looks the same from outside: its owner is told by mail. InvalidTimezone_400, ValidationFailed for a weak password.
    """
    REGISTRATIONS.count(caller.network)
    if not is_timezone(timezone):
        raise NamedError("InvalidTimezone_400", "timezone: needs a name of the IANA database, such as Europe/Berlin")
    user = User(email=email.strip().lower(), name=name)
    check_strength(password, user)
    known = User.objects.filter(email=user.email).first()
    # One hash in each case, and then as much time for a new account as for a mail.
    is_same = known is not None and check_password(password, known.password)
    if known is None:
        user.password = make_password(password)
    profile: dict[str, Any] = {"timezone": timezone}
    if contact_number is not None:
        profile |= {"country_code": contact_number.country_code, "number": contact_number.number}
    with unhurried(0.5), transaction.atomic():
        if known is not None:
            _tell_owner(user.email, is_same)
        elif not _add(user):
            _tell_owner(user.email, check_password(password, User.objects.get(email=user.email).password))
        else:
            company, _ = create_company(name=company_name, owner=user, **profile)
            if referral_code:
                attribute(user=user, company=company, code=referral_code)
            send_verification(user, company_name=company.name)


def _add(user: User) -> bool:
    """Insert the user; False when another registration of this moment has taken the address."""
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _tell_owner(email: str, is_same: bool) -> None:
    """Mail the owner of a taken address what has happened; `is_same`: whoever registers knows the account's password.

    An account whose address was never verified may have been made by somebody else: the links to verify it stop working, and its owner
    gets one that sets a password. Who knows the password only registers a second time, and gets the first mail again.
    """
    user = User.objects.select_for_update(no_key=True).get(email=email)
    if user.email_verified_at is None:
        if is_same:
            send_verification(user)
            return
        user.session_version += 1
        user.save(update_fields=["session_version", "updated_at"])
    send_reset_link(user, kind="already_registered")


def send_verification(user: User, *, company_name: str | None = None) -> None:
    """Mail the link that verifies the user's address; not more often than an account's links may be asked for."""
    if not user.is_active or user.email_verified_at or not LINKS_OF_ACCOUNT.try_count(f"{VERIFY}:{user.email}"):
        return
    context = {
        "name": user.get_full_name(),
        "company_name": _company_name(user) if company_name is None else company_name,
        "link": page_address(VERIFY, make_token(VERIFY, user.pk, _state(user))),
        "days": settings.VERIFY_LINK_LIFETIME.days,
    }
    queue_mail("verify_email", to=user.email, context=context)


def _company_name(user: User) -> str:
    with unscoped(reason="registration: the company that the user has registered"):
        found = (
            Member.objects.filter(user=user, status=Member.Status.OWNER)
            .order_by("created_at")
            .values_list("company__name", flat=True)
        )
        return found.first() or ""


def _state(user: User) -> str:
    return f"{user.email}:{user.password}:{user.session_version}:{user.email_verified_at}"


@unhurried(0.3)
def resend_verification(*, email: str, caller: Caller) -> None:
    """Mail the link again to an account that still needs it; any other address is passed over in silence."""
    LINKS_OF_ADDRESS.count(caller.network)
    user = User.objects.filter(email=email).first()
    if user is not None:
        with transaction.atomic():
            send_verification(user)


def verification_of(token: str, *, locked: bool = False) -> User:
    """The user whose address the link verifies; raises DeadLink."""
    users = User.objects.select_for_update(no_key=True) if locked else User.objects.all()

    def find(user_id: str) -> tuple[User, str] | None:
        user = users.filter(pk=user_id, is_active=True).first()
        return None if user is None else (user, _state(user))

    return read_token(VERIFY, token, settings.VERIFY_LINK_LIFETIME, find)


@transaction.atomic
def verify_email(*, token: str, caller: Caller) -> User:
    """The user, whose address is verified now; raises DeadLink."""
    REDEMPTIONS.count(caller.network)
    user = verification_of(token, locked=True)
    user.email_verified_at = clock.now()
    user.save(update_fields=["email_verified_at", "updated_at"])
    return user
