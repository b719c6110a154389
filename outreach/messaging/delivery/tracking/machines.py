"""Opens and clicks by proxies, scanners and the company's own people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import LoginLog, Member
from core.access.callers import Caller
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.tracking.models import TrackingEvent

Machine = TrackingEvent.Machine
TOO_SOON = timedelta(seconds=2)
SCANNER_INTERVAL = timedelta(seconds=1)
"""Within which only a scanner follows all links of a message."""
SIGNED_IN = timedelta(days=30)
"""For how long an address that a member has signed in from is the company's own."""
_SCANNERS = re.compile(
    r"bot\b|bots\b|crawl|spider|scan|preview|proxy|prefetch|monitor|validator|headless|phantomjs|python|java/|okhttp|"
    r"curl|wget|libwww|go-http-client|axios|node-fetch|httpclient|ruby|perl|barracuda|mimecast|proofpoint|"
    r"symantec|trendmicro|forcepoint|fireeye|ironport|cloudmark|safelinks|microsoft office existence",
    re.IGNORECASE,
)
"""User-Agent patterns of programs that open links in mails: of mail services, of filters, and of scripts."""
_PRIVACY = "Mozilla/5.0"
"""The user agent of the proxy of Apple's Mail, which fetches pictures even if nobody reads the mail."""


def machine_of(method: str, caller: Caller, job: SendJob, at: datetime) -> str:
    """Return why the request was not the recipient's; "" where it may be."""
    # People's browsers GET; HEAD comes from programs that check links.
    if method == "HEAD":
        return Machine.HEAD
    agent = caller.user_agent.strip()
    if not agent or agent == _PRIVACY or _SCANNERS.search(agent):
        return Machine.SCANNER
    went = job.sent_at or job.sending_at
    # Only a scanner on the way can have read a message that no server has taken, or took this moment.
    if went is None or at - went < TOO_SOON:
        return Machine.TOO_SOON
    return Machine.MEMBER if is_own_address(caller.ip) else ""


def is_own_address(ip: str | None) -> bool:
    """Return whether a member of the active company has recently signed in from the address."""
    if ip is None:
        return False
    # Addresses at home change hands, so a sign-in of long ago proves nothing.
    since = timezone.now() - SIGNED_IN
    logins = LoginLog.objects.filter(ip=ip, status=LoginLog.Status.SUCCESS, created_at__gt=since)
    return bool(logins.exists())


def is_own_member(user_id: str | None) -> bool:
    """Return whether a signed-in user belongs to the active company."""
    return user_id is not None and bool(Member.objects.filter(user_id=user_id).exists())


def followed_together(clicks: Iterable[TrackingEvent]) -> set[str]:
    """Return the ids of those clicks on one message that a scanner has made: within a second, on all its links."""
    rows = sorted(clicks, key=lambda click: (click.happened_at, click.pk))
    ids: set[str] = set()
    first = 0
    for last, row in enumerate(rows):
        # A window that slides over the times, or a scan across a full second would look like two halves.
        while row.happened_at - rows[first].happened_at > SCANNER_INTERVAL:
            first += 1
        # With a single link, a person and a scanner do the same.
        if row.of_links > 1 and len(_links(rows[first : last + 1])) >= row.of_links:
            ids |= {click.pk for click in rows[first : last + 1]}
    return ids


def _links(rows: Sequence[TrackingEvent]) -> set[int]:
    return {row.link for row in rows}
