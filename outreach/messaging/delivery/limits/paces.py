"""The pace of a campaign's messages: a maximum within any hour, regardless of its sender's limits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.db.models import Count, Min, Q

from outreach.messaging.delivery.deciding.decision import Limit
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob

HOUR = dt.timedelta(hours=1)
_CLAIM = dt.timedelta(seconds=5)
"""Delay before another check of a campaign whose slots are all taken by claims."""


def paces_of(jobs: Sequence[SendJob], now: dt.datetime) -> dict[str, Limit]:
    """Return the limits of the runs of these messages that have one of their own, by the run's id. Claimed messages
    count as sent. The jobs come with their run joined."""
    runs = {job.run.pk: job.run.per_hour for job in jobs if job.run is not None and job.run.per_hour}
    if not runs:
        return {}
    # By the sender, whose index has the hour (sendjob_sender, sendjob_vendor_sender).
    smtp, vendors = {job.smtp_id for job in jobs} - {None}, {job.mail_app_id for job in jobs} - {None}
    of_senders = SendJob.objects.filter(Q(smtp__in=smtp) | Q(mail_app__in=vendors), run__in=list(runs))
    gone = of_senders.filter(sending_at__gt=now - HOUR).order_by().values_list("run_id")
    counted = {run: (number, first) for run, number, first in gone.annotate(n=Count("pk"), first=Min("sending_at"))}
    held = of_senders.filter(status=SendJob.Status.CLAIMED).order_by().values_list("run_id").annotate(n=Count("pk"))
    claimed = dict(held)
    paces = {}
    for run, allowed in runs.items():
        number, first = counted.get(run, (0, None))
        # The oldest message leaves the hour first, and with it goes its slot.
        opens = first + HOUR if first is not None and number >= allowed else now + _CLAIM
        # Claimed messages are about to go; without them, each claim would fill the hour again.
        paces[run] = Limit(Reason.LIMIT_CAMPAIGN, allowed, number + claimed.get(run, 0), opens)
    return paces
