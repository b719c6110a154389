"""Store opens and clicks as they come, with one INSERT each. A worker applies them (effects.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.access.attempts import Limit
from core.access.callers import Caller
from core.tenancy import company_scope, unscoped
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.links import link_at, links_of, places_of, sent_html
from outreach.messaging.delivery.tracking.machines import Machine, is_own_member, machine_of
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.messaging.delivery.tracking.tokens import CLICK, CLICK_AT, OPEN, Tracked, read_token

Status = SendJob.Status
Kind = TrackingEvent.Kind
# An address from a forwarded mail could otherwise fill the table.
A_MESSAGE = Limit("tracked-message", 200, 86_400)
"""Maximum number of events stored for a message in a day."""
_WENT = Q(status__in=(Status.SENDING, Status.SENT, Status.FAILED, Status.UNKNOWN)) & ~Q(text="")
"""Matches messages that may have arrived; the content of erased ones is deleted."""
_READ = ("company", "status", "text", "html", "sent_at", "sending_at")


@dataclass(frozen=True)
class Visit:
    """A request to a tracked address."""

    method: str
    caller: Caller
    user_id: str | None
    """User of the member's session in the request."""


@dataclass(frozen=True)
class Clicked:
    """The clicked link: its number among the message's addresses, and its place among all links."""

    link: int = 0
    of_links: int = 0
    place: int = 0
    of_places: int = 0


def record_open(token: str, visit: Visit) -> bool:
    """Store that a message was opened. Return False for an invalid token."""
    tracked = read_token(token)
    job = None if tracked is None or tracked.kind != OPEN or tracked.link else _message(tracked)
    if job is None or tracked is None:
        return False
    with company_scope(job.company_id):
        _store(job, Kind.OPENED, Clicked(), visit)
    return True


def record_click(token: str, visit: Visit) -> str | None:
    """Store that a link was clicked, and return its address; None for an invalid token."""
    # The token comes first: a forged one costs no query.
    tracked = read_token(token)
    job = None if tracked is None or tracked.kind not in (CLICK, CLICK_AT) else _message(tracked)
    if job is None or tracked is None:
        return None
    rich = sent_html(job.text, job.html)
    links = links_of(rich)
    clicked = Clicked(link=tracked.link, of_links=len(links))
    url = link_at(links, tracked.link)
    if tracked.kind == CLICK_AT:
        places = places_of(rich)
        url = link_at(places, tracked.link)
        if url not in links:
            return None
        clicked = replace(clicked, link=links.index(url) + 1, place=tracked.link, of_places=len(places))
    if url is not None:
        with company_scope(job.company_id):
            _store(job, Kind.CLICKED, clicked, visit)
    return url


def _message(tracked: Tracked) -> SendJob | None:
    # Nobody is signed in, so the signed token alone says which company it is.
    with unscoped(reason="a tracked link names its message alone"):
        return SendJob.objects.filter(_WENT, pk=tracked.message_id).only(*_READ).first()


def _store(job: SendJob, kind: Kind, clicked: Clicked, visit: Visit) -> None:
    """Store the visit, once for each visitor and day, if the company has such visits tracked at present."""
    switch = "track_opens" if kind == Kind.OPENED else "track_clicks"
    # The answer is the same either way: a link has to lead on, whatever is stored.
    if not GenieSettings.objects.filter(**{switch: True}).exists() or not A_MESSAGE.try_count(job.pk):
        return
    now = timezone.now()
    own = is_own_member(visit.user_id)
    event = TrackingEvent(
        company_id=job.company_id,
        send_job=job,
        kind=kind,
        link=clicked.link,
        of_links=clicked.of_links,
        place=clicked.place,
        of_places=clicked.of_places,
        visitor=visitor_of(visit.caller, job.pk, now),
        machine=Machine.MEMBER if own else machine_of(visit.method, visit.caller, job, now),
        happened_at=now,
    )
    # A repeated visit of the same visitor on one day has the same key and counts once.
    TrackingEvent.objects.bulk_create([event], ignore_conflicts=True)


def visitor_of(caller: Caller, message_id: str, at: datetime) -> str:
    """Return a key that distinguishes the visitors of one message for a day (UTC), without their address."""
    identity = f"{caller.ip or ''}\n{caller.user_agent}\n{message_id}"
    # The day is in the key of the hash, so visitors cannot be followed from one day to the next.
    return salted_hmac(f"outreach.tracking.visitor {at:%Y-%m-%d}", identity, algorithm="sha256").hexdigest()[:32]
