"""A member's log-in at Google for their calendar: begun by them, ended once by them, taken back by them.

The state in Google's addresses names the company, so that the page it leads back to is found, and a secret, of which a
hash is stored. The verifier (PKCE) derives from it and from a key of the service.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from core.crypto import SecretUnreadable, lookup_hash
from core.errors import NamedError, ValidationFailed
from core.jobs import notify_workers
from core.tenancy import company_id
from core.types import JsonObject
from crm.meetings.models import Meeting
from outreach.connections.calendars.google import KEY, NAME, SCOPES
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.calendars.queues import BUSY, EVENTS
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors import google
from outreach.connections.mail_vendors.access import set_tokens
from outreach.connections.smtp.outcome import SmtpError

MINUTES = 10
SECRET_LENGTH = 43
MAX_MEETINGS = 500
"""Coming meetings that are written into a calendar when it is connected."""
MAX_BATCH_LOGINS = 20
NOT_SET_UP = f"{NAME} is not set up here: whoever runs the service enters a client of Google's (GOOGLE_CLIENT_ID)"
NOT_FOUND = "NotFound_404"
STALE = f"this log-in was ended, was begun by somebody else or more than {MINUTES} minutes ago; begin it anew"


def not_found() -> NamedError:
    """Return the error for a member who has connected no calendar."""
    return NamedError(NOT_FOUND, "no calendar of yours is connected", field="calendar")


def is_set_up() -> bool:
    """Return whether members can connect calendars here."""
    return bool(settings.GOOGLE_CLIENT_ID and settings.GOOGLE_CLIENT_SECRET)


def return_url() -> str:
    """Return where Google leads back to; it is entered at Google too, for the service's client."""
    return f"{settings.BASE_URL.rstrip('/')}/oauth/{KEY}/callback"


def connection_of(member_id: str) -> CalendarConnection | None:
    """Return the member's connection, if a calendar is connected."""
    connection: CalendarConnection | None = CalendarConnection.objects.filter(
        member_id=member_id, is_active=True
    ).first()
    return connection


def begin_login(*, member_id: str) -> JsonObject:
    """Begin a log-in; the member's last one that did not end is over. Raises AppNotFound_400 where Google is not set
    up."""
    if not is_set_up():
        raise NamedError("AppNotFound_400", NOT_SET_UP)
    state = f"{company_id()}.{get_random_string(SECRET_LENGTH)}"
    ends_at = timezone.now() + timedelta(minutes=MINUTES)
    begun = {"state_hash": _hash(state), "login_ends_at": ends_at}
    connection, _ = CalendarConnection.objects.update_or_create(member_id=member_id, defaults=begun)
    url = google.consent_url(
        return_url(),
        SCOPES,
        state=state,
        verifier=_verifier(state),
        email=connection.email if connection.is_active else "",
    )
    return {"url": url, "endsAt": ends_at}


def end_login(*, member_id: str, code: str, state: str) -> CalendarConnection:
    """Connect the calendar that the member has logged in to, in place of another one.

    Raises InvalidCredentials_400 for an invalid log-in or one that lacks a permission, ValidationFailed without a code
    or state, ConnectionTestRunning_429.
    """
    for name, value in (("code", code), ("state", state)):
        if not value:
            raise ValidationFailed(f"{name} is required", "send what came back from Google", field=name)
    with connection_test_slot():
        tokens = _tokens(member_id, code, state)
        with transaction.atomic():
            connection = CalendarConnection.objects.select_for_update(of=("self",)).get(member_id=member_id)
            connection.api_key = tokens.refresh
            set_tokens(connection, tokens)
            connection.email = tokens.email
            connection.is_active = True
            connection.needs_login = False
            connection.error = ""
            connection.busy = []
            connection.busy_at = None
            connection.due_at = timezone.now()
            connection.attempts = 0
            connection.status = CalendarConnection.Work.WAITING
            connection.lease = None
            connection.worker = None
            connection.deaths = 0
            connection.save()
            _write_coming(connection)
            notify_workers(BUSY)
    return connection


def _tokens(member_id: str, code: str, state: str) -> google.Tokens:
    # The state works once: it is checked and cleared under the lock.
    with transaction.atomic():
        rows = CalendarConnection.objects.select_for_update(of=("self",))
        begun = rows.filter(member_id=member_id, state_hash=_hash(state), login_ends_at__gt=timezone.now()).first()
        if begun is None:
            raise NamedError("InvalidCredentials_400", STALE, field="state")
        begun.state_hash = ""
        begun.login_ends_at = None
        begun.save(update_fields=["state_hash", "login_ends_at", "updated_at"])
    try:
        tokens = google.exchange_code(return_url(), code=code, verifier=_verifier(state))
    except SmtpError as error:
        what = "Google does not take the code; start the log-in again" if error.stage == "auth" else error.detail
        raise NamedError("InvalidCredentials_400", what, field="code") from None
    missing = ""
    if not {*SCOPES} <= {*tokens.scopes.split()}:
        missing = "Google was not allowed to see and change events, or to tell busy times; leave the boxes ticked"
    elif not tokens.refresh or not tokens.email:
        missing = "Google's answer has no refresh token; start the log-in again"
    if missing:
        google.revoke(tokens.refresh or tokens.access)
        raise NamedError("InvalidCredentials_400", missing, field="code")
    return tokens


def _write_coming(connection: CalendarConnection) -> None:
    """Queue the member's coming meetings for writing, with the events that already wait."""
    now = timezone.now()
    coming = Meeting.objects.filter(
        organizer_id=connection.member_id, status=Meeting.Status.SCHEDULED, ends_at__gt=now
    ).order_by("starts_at", "pk")
    rows = [CalendarEvent(connection=connection, meeting=meeting, due_at=now) for meeting in coming[:MAX_MEETINGS]]
    # Meetings that were connected before have rows already, which the update below resets.
    CalendarEvent.objects.bulk_create(rows, ignore_conflicts=True)
    values = {"version": 1, "status": CalendarEvent.Work.WAITING, "written": "", "written_at": None, "error": ""}
    left = CalendarEvent.objects.filter(connection=connection, meeting__ends_at__gt=now)
    left.update(**values, due_at=now, lease=None, worker=None, attempts=0, deaths=0, updated_at=now)
    notify_workers(EVENTS)


def disconnect(*, member_id: str) -> None:
    """Disconnect the member's calendar, and take the log-in back at Google. Its events stay there.

    Raises NotFound_404.
    """
    if not _close([member_id]):
        raise not_found()


def forget_members(ids: Sequence[str]) -> None:
    """Disconnect the calendars of members who have left, in the transaction that removes them."""
    tokens = _delete_tokens(ids)
    transaction.on_commit(lambda: _take_back(tokens))


def _close(members: Sequence[str]) -> int:
    with transaction.atomic():
        tokens = _delete_tokens(members)
    _take_back(tokens)
    return len(tokens)


def _delete_tokens(members: Sequence[str]) -> list[str]:
    """Delete the tokens of the members' connections. Returns them."""
    tokens = []
    for connection in CalendarConnection.objects.select_for_update(of=("self",)).filter(
        member_id__in=members, is_active=True
    ):
        token = ""
        with suppress(SecretUnreadable):
            token = connection.api_key
        tokens.append(token)
        connection.is_active = False
        connection.api_key = ""
        connection.access_token = ""
        connection.access_ends_at = None
        connection.busy = []
        connection.busy_at = None
        connection.error = ""
        connection.email = ""
        connection.scopes = ""
        connection.save()
        CalendarEvent.objects.filter(connection=connection).delete()
    return tokens


def _take_back(tokens: list[str]) -> None:
    for token in [secret for secret in tokens if secret][:MAX_BATCH_LOGINS]:
        google.revoke(token)


def _hash(state: str) -> str:
    return lookup_hash(f"calendar-login:{state}")


def _verifier(state: str) -> str:
    return lookup_hash(f"calendar-login-verifier:{state}")
