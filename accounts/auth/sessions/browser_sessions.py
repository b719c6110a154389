"""Sessions of browsers: the session cookie names a family of refresh tokens, as an access token does.

An event that ends sessions (a new password, a deactivated account, a log-out) therefore ends both kinds. Nobody gets
the family's refresh token: a browser's session ends with it, 30 days after the log-in.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils import timezone

from accounts.auth.models import RefreshToken
from accounts.auth.sessions import tokens
from accounts.auth.sessions.tokens import Tokens
from core.types import JsonObject
from core.web.navigation.recent import RECENT

MAX_PURGED = 10_000
CLAIMS = "member_session"
COMPANY = "company"
SEEN = "seen"
"""Keys of the browser's session: the claims (sub, sid and ver), the company whose page was opened last, and the time.

The time is that of the last page in seconds, with the precision of SEEN_EVERY.
"""
SEEN_EVERY = 15 * 60


def begin(request: HttpRequest, issued: Tokens) -> None:
    """Start the browser's session under a new key, so that a planted key is worthless.

    A back office session of the same browser continues, and keeps its own, earlier end.
    """
    # Against session fixation: a key that an attacker planted before the log-in is worthless after it.
    request.session.cycle_key()
    # A CSRF token that a page of a former session knows must not be good for this one.
    rotate_token(request)
    renew(request, issued.access)
    # The next person in this browser must not see where the last one worked, and on what.
    for name in (COMPANY, RECENT):
        request.session.pop(name, None)
    # Staff's sessions end earlier. Logging in as a member must not prolong them.
    if SESSION_KEY not in request.session:
        request.session.set_expiry(timezone.now() + settings.REFRESH_TOKEN_LIFETIME)


def renew(request: HttpRequest, access_token: str) -> None:
    """Go on with the session of the access token."""
    claims = tokens.read_access(access_token)
    request.session[CLAIMS] = {name: claims[name] for name in ("sub", "sid", "ver")}
    request.session[SEEN] = int(time.time())


def note_use(request: HttpRequest, family: str) -> None:
    """Write down that the session is in use, unless that was written lately."""
    now = int(time.time())
    # A write for each page would turn every read into one, and make pages of one browser wait for each other.
    if now - request.session.get(SEEN, 0) < SEEN_EVERY:
        return
    request.session[SEEN] = now
    unused = RefreshToken.objects.filter(family=family, used_at__isnull=True, revoked_at__isnull=True)
    unused.update(last_used_at=timezone.now())


def claims_of(request: HttpRequest) -> JsonObject | None:
    """Return the claims of the browser's session. `tokens.is_open` returns whether it is still open."""
    claims = request.session.get(CLAIMS)
    return claims if isinstance(claims, dict) else None


def end(request: HttpRequest) -> None:
    """Log out: the browser's session and its tokens end. A session of the back office continues."""
    claims = claims_of(request)
    if claims is not None:
        tokens.revoke_family(claims["sid"])
    # The same browser may be logged in to the back office, whose session lives in the same cookie.
    if SESSION_KEY in request.session:
        for name in (CLAIMS, COMPANY, SEEN, RECENT):
            request.session.pop(name, None)
        request.session.cycle_key()
    else:
        request.session.flush()


def purge_browser_sessions() -> bool:
    """Delete rows of sessions that have ended by their time. Returns whether there may be more."""
    sessions = Session.objects.filter(expire_date__lt=timezone.now())
    ids = list(sessions.values_list("pk", flat=True)[:MAX_PURGED])
    Session.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED
