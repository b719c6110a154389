"""Passwords: forgotten, reset by a link, changed. A new password ends every session."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.auth.limits import LINKS_OF_ACCOUNT, LINKS_OF_ADDRESS, PASSWORD_CHANGES, REDEMPTIONS, unlock_account
from accounts.auth.links import make_token, page_address, read_token
from accounts.auth.models import RefreshToken
from accounts.auth.timing import minimum_duration
from accounts.mails.services import queue_mail
from accounts.users.models import User
from core.access.callers import Caller
from core.errors import NamedError, ValidationFailed, detail_of

RESET = "reset-password"
"""The purpose of the link, and the page that it leads to."""


def check_strength(password: str, user: User, *, field: str = "password") -> None:
    """Raise ValidationFailed, with the field's name, for a password that is too weak for the user."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        problem = " ".join(error.messages)
        raise ValidationFailed(detail_of(field, problem), problem, field=field) from None


@minimum_duration(0.3)
def forgot_password(*, email: str, caller: Caller) -> None:
    """Mail a link that sets a new password, if the address has an account. The response does not reveal whether it
    has."""
    LINKS_OF_ADDRESS.count(caller.network)
    user = User.objects.filter(email=email).first()
    if user is not None:
        with transaction.atomic():
            send_reset_link(user)


def send_reset_link(user: User, *, kind: str = "reset_password") -> None:
    """Mail the link, as often as the limit of the account allows."""
    # Silent above the limit, since an error would tell strangers that the account exists.
    if not user.is_active or not LINKS_OF_ACCOUNT.try_count(f"{kind}:{user.email}"):
        return
    context = {
        "name": user.get_full_name(),
        "link": page_address(RESET, make_token(RESET, user.pk, _state(user))),
        "minutes": int(settings.RESET_LINK_LIFETIME.total_seconds() // 60),
    }
    queue_mail(kind, to=user.email, context=context)


def _state(user: User) -> str:
    # Both change what the link may do: a link that was mailed before must die with a new address or password.
    return f"{user.email}:{user.password}"


def user_of_reset_link(token: str, *, locked: bool = False) -> User:
    """Return the user whose password the link sets. Raises InvalidLink."""
    users = User.objects.select_for_update(no_key=True) if locked else User.objects.all()

    def find(user_id: str) -> tuple[User, str] | None:
        user = users.filter(pk=user_id, is_active=True).first()
        return None if user is None else (user, _state(user))

    return read_token(RESET, token, settings.RESET_LINK_LIFETIME, find)


@transaction.atomic
def reset_password(*, token: str, password: str, caller: Caller) -> User:
    """Set a new password by the link of a mail, which also verifies the address. Returns the user.

    Raises InvalidLink, ValidationFailed.
    """
    REDEMPTIONS.count(caller.network)
    # Locked, so that of two requests with one link only the first sets a password.
    user = user_of_reset_link(token, locked=True)
    check_strength(password, user)
    # Anyone who opened the link can read the mailbox, which is all that a verification proves.
    user.email_verified_at = user.email_verified_at or timezone.now()
    _set(user, password, caller)
    unlock_account(user.email, caller.network)
    return user


@transaction.atomic
def change_password(*, user_id: str, current: str, new: str, caller: Caller) -> User:
    """Change the password, given the current one. Returns the user. Raises InvalidPassword_400 for a wrong one."""
    # A stolen session must not serve to guess the password, which opens more than the session.
    PASSWORD_CHANGES.count(user_id)
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    if not check_password(current, user.password):
        raise NamedError("InvalidPassword_400", "enter your current password", field="currentPassword")
    check_strength(new, user, field="newPassword")
    _set(user, new, caller)
    PASSWORD_CHANGES.reset(user_id)
    return user


def _set(user: User, password: str, caller: Caller) -> None:
    """Save the password, end every session, and notify the owner by mail."""
    now = timezone.now()
    user.set_password(password)  # increases session_version, which ends access tokens
    user.save(update_fields=["password", "session_version", "email_verified_at", "updated_at"])
    # The version ends access tokens. Refresh tokens are revoked as well, so
    # that the list of sessions is true.
    RefreshToken.objects.filter(user=user, revoked_at__isnull=True).update(revoked_at=now, updated_at=now)
    context = {"name": user.get_full_name(), "at": now, "ip": caller.ip, "link": f"{settings.BASE_URL}/forgot-password"}
    queue_mail("password_changed", to=user.email, context=context)
