"""Verification of email addresses: an unverified address cannot log in."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils import timezone as clock

from accounts.auth.limits import LINKS_OF_ACCOUNT, LINKS_OF_ADDRESS, REDEMPTIONS
from accounts.auth.links import make_token, page_address, read_token
from accounts.auth.timing import minimum_duration
from accounts.mails.services import queue_mail
from accounts.users.models import User
from core.access.callers import Caller

VERIFY = "verify-email"
"""The purpose of the link, and the path of its page."""


def send_verification(user: User) -> None:
    """Mail the link that verifies the user's address, as often as the limit of the account allows.

    The mail contains no text from the registration, because anybody can register with anybody's address.
    """
    if not user.is_active or user.email_verified_at or not LINKS_OF_ACCOUNT.try_count(f"{VERIFY}:{user.email}"):
        return
    context = {
        "link": page_address(VERIFY, make_token(VERIFY, user.pk, _state(user))),
        "days": settings.VERIFY_LINK_LIFETIME.days,
    }
    queue_mail("verify_email", to=user.email, context=context)


def _state(user: User) -> str:
    # With the time of the verification in the state, the link works once.
    return f"{user.email}:{user.password}:{user.session_version}:{user.email_verified_at}"


@minimum_duration(0.3)
def resend_verification(*, email: str, caller: Caller) -> None:
    """Mail the link again to an account that still needs it. Other addresses are ignored silently."""
    LINKS_OF_ADDRESS.count(caller.network)
    user = User.objects.filter(email=email).first()
    if user is not None:
        with transaction.atomic():
            send_verification(user)


def user_of_verification_link(token: str, *, locked: bool = False) -> User:
    """Return the user whose address the link verifies. Raises InvalidLink."""
    users = User.objects.select_for_update(no_key=True) if locked else User.objects.all()

    def find(user_id: str) -> tuple[User, str] | None:
        user = users.filter(pk=user_id, is_active=True).first()
        return None if user is None else (user, _state(user))

    return read_token(VERIFY, token, settings.VERIFY_LINK_LIFETIME, find)


@transaction.atomic
def verify_email(*, token: str, caller: Caller) -> User:
    """Mark the user's address as verified. Returns the user. Raises InvalidLink."""
    REDEMPTIONS.count(caller.network)
    user = user_of_verification_link(token, locked=True)
    user.email_verified_at = clock.now()
    user.save(update_fields=["email_verified_at", "updated_at"])
    return user
