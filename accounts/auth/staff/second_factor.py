"""The staff's second factor: set up, asked for, replaced by backup codes, removed (settings.STAFF_SECOND_FACTOR)."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import ngettext

from accounts.auth.models import SecondFactor
from accounts.users.models import User
from core.crypto import lookup_hash
from core.errors import ApiError
from core.text.translation import gettext_lazy as _

BACKUP_CODES = 8
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that are not mistaken for another."""
CODE_LENGTH = 10
PAGE = "staff-second-factor"
OPEN = (PAGE, "admin:logout")
"""The pages for who has yet to show the second factor."""


class WrongCode(ApiError):
    """A code that is wrong, was used before, or came too soon after a wrong one."""

    name = "WrongCode_400"
    message = _("The code is wrong.")


def gate(request: HttpRequest) -> HttpResponse | None:
    """Redirect a user who has yet to show or set up the second factor to its page (core.backoffice.site)."""
    if not is_asked(request.user) or (request.resolver_match and request.resolver_match.view_name in OPEN):
        return None
    # A POST cannot be repeated after the redirect, so it leads nowhere.
    back = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
    return HttpResponseRedirect(f"{reverse(PAGE)}?{back}".rstrip("?"))


def is_asked(user: Any) -> bool:
    """Return whether the session's user has yet to show the second factor, or to set it up where it is required."""
    if settings.STAFF_SECOND_FACTOR == "off" or user.is_verified():
        return False
    return settings.STAFF_SECOND_FACTOR == "required" or factor_of(user) is not None


def factor_of(user: User) -> SecondFactor | None:
    """Return the user's second factor, if one is set up."""
    factor: SecondFactor | None = SecondFactor.objects.filter(user_id=user.pk, confirmed=True).first()
    return factor


def begin(user: User) -> SecondFactor:
    """Return the user's second factor. A new one has a key that stays the same until it is confirmed."""
    factor: SecondFactor
    # The key stays the same when the page is loaded again. Otherwise a code of the first one would never fit.
    factor, _ = SecondFactor.objects.get_or_create(user_id=user.pk, defaults={"confirmed": False, "name": "app"})
    return factor


def confirm(user: User, code: str) -> tuple[SecondFactor, list[str]]:
    """Set up the second factor by a code of the app. Returns it with its backup codes. Raises WrongCode."""
    with transaction.atomic():
        factor = _lock_factor(user, confirmed=False)
        # The time step of the last code is stored, so that a code is good for one use (RFC 6238, 5.2).
        if factor.verify_token(code):
            factor.confirmed = True
            return factor, _renew(factor)
    raise _wrong(factor)


def verify(user: User, code: str) -> SecondFactor:
    """Check a code and return the user's second factor. Raises WrongCode."""
    with transaction.atomic():
        factor = _lock_factor(user, confirmed=True)
        if factor.verify_token(code):
            return factor
    raise _wrong(factor)


def renew_backup_codes(user: User, code: str) -> list[str]:
    """Replace the backup codes, given a code. Returns the new ones, which are stored as hashes. Raises WrongCode."""
    verify(user, code)
    with transaction.atomic():
        return _renew(_lock_factor(user, confirmed=True))


def remove(user: User, code: str) -> None:
    """Remove the second factor, given a code. Raises WrongCode."""
    verify(user, code).delete()


def _lock_factor(user: User, *, confirmed: bool) -> SecondFactor:
    # Two requests with one code would otherwise both read the counter before either has stored it.
    factors = SecondFactor.objects.select_for_update().filter(user_id=user.pk, confirmed=confirmed)
    factor: SecondFactor | None = factors.first()
    if factor is None:
        raise WrongCode(_("The second factor has changed. Reload the page."))
    return factor


def _renew(factor: SecondFactor) -> list[str]:
    codes = ["".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)) for _ in range(BACKUP_CODES)]
    # A keyed hash is enough: the codes are random, so that there is nothing to guess from a dictionary.
    factor.backup_codes = [lookup_hash(code) for code in codes]
    factor.save()
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def _wrong(factor: SecondFactor) -> WrongCode:
    """Return the error, with the seconds that a further code has to wait."""
    allowed, reason = factor.verify_is_allowed()
    if allowed:
        return WrongCode(_("The code is wrong or was already used."))
    seconds = max(1, round((reason["locked_until"] - timezone.now()).total_seconds()))
    text = ngettext(
        "The code is wrong or came too soon. Try again in %(seconds)s second.",
        "The code is wrong or came too soon. Try again in %(seconds)s seconds.",
        seconds,
    )
    return WrongCode(text % {"seconds": seconds})
