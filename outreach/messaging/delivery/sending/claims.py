"""Claims messages of a sender, after counting its limits exactly and deciding about each message."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery, prefetch_related_objects
from django.utils import timezone

from core.ids import new_id
from core.jobs.liveness import worker_number
from core.jobs.registry import Moment
from core.tenancy import unscoped
from core.types import JsonObject
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.approving.approvals import LAPSED, turn_into_drafts
from outreach.messaging.delivery.deciding.context import SendContext, claimed_count, remaining, sender_state
from outreach.messaging.delivery.deciding.decision import Limit, SenderState, Stop, Wait, decide
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.deciding.usage import within_plan
from outreach.messaging.delivery.limits.paces import HOUR
from outreach.messaging.delivery.limits.pauses import pause
from outreach.messaging.delivery.limits.quotas import VENDOR, reserve, scope_of, vendor_scope
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import ALL_SENDERS, columns_of, locked_sender

BATCH = 200
"""Messages that are claimed at once."""
SENDING: JsonObject = {"is_active": True, "verified": True, "stopped_at": None}
"""Values of a sender that may send."""
LOOKAHEAD = 500
"""Messages that are examined when none of the first ones may be sent, so that a closed window costs few rounds."""
_random = SystemRandom()
_SUBSCRIPTION_PAUSE = 60.0
_RESERVED_PAUSE = 1.0
_ASK_AGAIN = dt.timedelta(minutes=5)
_OF_OTHERS = (
    "approved_at", "approved_by", "bounced_at", "click_count", "clicks_tracked", "complained_at", "created_by",
    "deaths", "delivery", "delivery_status", "error", "evidence", "hint", "html", "next_step_at", "open_count",
    "opens_tracked", "provider_message_id", "refused_at", "reply", "sent_at", "text", "updated_by", "variant", "worker",
    "workflow_waits",
    *(f"contact__{name}" for name in (
        "category", "country_code", "created_at", "created_by", "custom", "deleted_at", "email_identity", "email_key",
        "erased_at", "import_job", "merged_into", "number", "number_key", "sort_name", "updated_at", "updated_by",
    )),
)  # fmt: skip
"""Columns of messages that neither a decision nor sending reads: to read a row costs as much as to decide about it."""
_PAUSED = dt.timedelta(hours=1)
"""Delay of the messages of a paused campaign, unless it is resumed (outreach.campaigns.pausing)."""


@dataclass(frozen=True)
class Claim:
    """The claimed messages, and how many were examined."""

    jobs: list[SendJob]
    examined: int
    lease: str = ""


def _due(now: Moment) -> Q:
    return Q(status=SendJob.Status.APPROVED, due_at__lte=now)


def senders_with_due_messages(now: Moment) -> list[QuerySet[Any]]:
    """Return the senders with due messages of all companies, by kind of sender."""
    senders: list[QuerySet[Any]] = []
    for kind in ALL_SENDERS:
        # A value for each sender: EXISTS becomes a join, which reads all that is due.
        waiting = SendJob.objects.filter(_due(now), **{f"{kind.job_column}_id": OuterRef("pk")})
        first = Subquery(waiting.order_by("due_at", "id").values("pk")[:1])
        # A paused sender keeps its due messages, so it is left out here, or each round would begin with it again.
        awake = Q(paused_until__isnull=True) | Q(paused_until__lte=now)
        senders.append(kind._default_manager.alias(first=first).filter(awake, first__isnull=False, **SENDING))
    return senders


def due_senders(limit: int) -> list[tuple[str, str]]:
    """Return (sender id, company id) of senders with due messages, of all companies, in random order for fairness."""
    pairs: list[tuple[str, str]] = []
    with unscoped(reason="worker: senders of all companies with messages due"):
        for senders in senders_with_due_messages(timezone.now()):
            pairs += senders.order_by("?").values_list("pk", "company_id")[:limit]
    # Otherwise all mailboxes would come before all chat apps.
    _random.shuffle(pairs)
    return pairs[:limit]


@transaction.atomic
def claim(sender_id: str, limit: int = BATCH, lease: str = "", context: SendContext | None = None) -> Claim:
    """Claim up to BATCH of the sender's due messages, under a new lease or the given one.

    Messages that may not be sent are rescheduled or ended. Examines `limit` messages. Reads the company's `context`,
    unless it is given. Locks the sender's row, so that several workers together keep its limits: claims of one count
    for the others.
    """
    sender = locked_sender(sender_id, **SENDING)
    now = timezone.now()
    # Another process may have paused the sender between due_senders() and this lock.
    if sender is None or (sender.paused_until is not None and sender.paused_until > now):
        return Claim([], 0)
    context = context or SendContext.load()
    if not context.subscription_active:
        # The sender rests instead of its messages: one write, and they go as soon as the company has paid.
        pause(sender, Reason.SUBSCRIPTION_LAPSED, _SUBSCRIPTION_PAUSE)
        return Claim([], 0)
    state = sender_state(sender, context.zone, now)
    # Counted under the lock of the sender: two workers that counted at the same time would both take the last
    # slot.
    left = remaining(state, claimed_count(sender)) if state.limits else BATCH
    if left == 0:
        _pause_for_limit(sender, state, now)
        return Claim([], 0)
    return _choose(sender, context, lease or new_id(), min(left, BATCH), limit, now)


def _choose(sender: Sender, context: SendContext, lease: str, most: int, limit: int, now: dt.datetime) -> Claim:
    jobs = list(
        # A row that is locked is being stopped or approved by somebody else, so it is left for the next
        # round. Contacts are not locked: their edits must not wait for a claim.
        SendJob.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(_due(now), **columns_of(sender))
        .select_related("contact")
        .defer(*_OF_OTHERS)
        # The same order as the index of due messages, so that PostgreSQL stops reading after the limit.
        .order_by("due_at", "id")[:limit]
    )
    # All jobs share one instance of the sender, which is known here: no join and no query for each.
    for job in jobs:
        setattr(job, sender.job_column, sender)
    # Messages of conversations have no run, so an inbox's replies save the query.
    if any(job.run_id for job in jobs):
        prefetch_related_objects(jobs, "run")
    # `most` already respects the limits, so the decision gets none.
    inputs = context.decision_inputs(jobs, {sender.pk: SenderState()}, now)
    ready: list[SendJob] = []
    waiting: dict[Wait, list[str]] = defaultdict(list)
    stopped: dict[Stop, list[str]] = defaultdict(list)
    paces = {job.run_id: pace for job in jobs if (pace := inputs[job.pk].pace) is not None}
    allowances = {run: pace.allowed - pace.used for run, pace in paces.items()}
    for job in jobs:
        decision = decide(inputs[job.pk], now)
        if isinstance(decision, Wait):
            waiting[decision].append(job.pk)
        elif isinstance(decision, Stop):
            stopped[decision].append(job.pk)
        # Messages beyond the limits stay as they are: they are due, and the next claim begins with them.
        elif len(ready) < most and allowances.get(job.run_id, 1) > 0:
            ready.append(job)
            if job.run_id in allowances:
                allowances[job.run_id] -= 1
    # Shared quotas come last, so that nothing is reserved for a message that may not go anyway.
    ready = _within_vendor(sender, ready, waiting, context, now)
    ready = _within_quotas(ready, waiting, context, now)
    ready = within_plan(ready, waiting, context.allowed)
    # One UPDATE for each reason and time, however many messages share them.
    for wait, ids in waiting.items():
        rows = SendJob.objects.filter(pk__in=ids)
        # Approval was given for the former content or address. A person has to look again, so no time is set.
        if wait.reason in LAPSED:
            turn_into_drafts(rows, None, reason=wait.reason)
        elif wait.reason is Reason.LIMIT_CAMPAIGN and wait.until is not None:
            _spread(jobs, set(ids), paces, wait.until, now)
        else:
            delay = _PAUSED if wait.reason is Reason.RUN_PAUSED else _ASK_AGAIN
            rows.update(due_at=wait.until or now + delay, reason=wait.reason, updated_at=now)
    for stop, ids in stopped.items():
        ledger.transition_all(SendJob.objects.filter(pk__in=ids), to=stop.state, reason=stop.reason)
    if ready:
        _claim(sender, ready, lease, context, now)
    return Claim(ready, len(jobs), lease)


def _within_vendor(
    sender: Sender, ready: list[SendJob], waiting: dict[Wait, list[str]], context: SendContext, now: dt.datetime
) -> list[SendJob]:
    """Return the messages that may go by the sender's mail vendor now, which all apps of it share."""
    scope = vendor_scope(sender)
    limit = context.vendor_limits.get(scope.removeprefix(VENDOR))
    if not ready or not limit:
        return ready
    taken = reserve({scope: len(ready)}, {scope: limit}, now)[scope]
    if taken.count < len(ready):
        waiting[Wait(Reason.LIMIT_VENDOR, taken.full_at)] += [job.pk for job in ready[taken.count :]]
    return ready[: taken.count]


def _within_quotas(
    ready: list[SendJob], waiting: dict[Wait, list[str]], context: SendContext, now: dt.datetime
) -> list[SendJob]:
    """Return the messages that may go to their mail providers now. The others wait for the next ones that may."""
    if not context.provider_limits or ready[:1] and ready[0].chat_app_id:
        return ready
    scopes = {job.pk: scope_of(job.contact.email or "") for job in ready}
    taken = reserve(Counter(scopes.values()), context.provider_limits, now)
    left = {scope: quota.count for scope, quota in taken.items()}
    going = []
    for job in ready:
        scope = scopes[job.pk]
        if scope not in taken or left[scope] > 0:
            left[scope] = left.get(scope, 0) - 1
            going.append(job)
        else:
            waiting[Wait(Reason.LIMIT_DOMAIN, taken[scope].full_at)].append(job.pk)
    return going


def _spread(
    jobs: list[SendJob], ids: set[str], paces: Mapping[str | None, Limit], begins: dt.datetime, now: dt.datetime
) -> None:
    """Give messages that wait for their campaign's pace one due time after the other.

    Each is then checked about once, instead of all whenever a slot opens.
    """
    places: dict[str | None, int] = defaultdict(int)
    waiting = [job for job in jobs if job.pk in ids]
    for job in waiting:
        job.due_at = begins + HOUR / paces[job.run_id].allowed * places[job.run_id]
        job.reason = Reason.LIMIT_CAMPAIGN
        job.updated_at = now
        places[job.run_id] += 1
    SendJob.objects.bulk_update(waiting, ["due_at", "reason", "updated_at"])


def _claim(sender: Sender, ready: list[SendJob], lease: str, context: SendContext, now: dt.datetime) -> None:
    texts = ledger.record_claimed([job.pk for job in ready], lease=lease, worker=worker_number())
    # Before the commit, so that release_lost_claims() never takes these messages for lost ones.
    _held.add(lease)
    # The warm-up of a sender counts from its first claim, by the company's calendar.
    if sender.first_sent_on is None:
        type(sender)._default_manager.filter(pk=sender.pk).update(first_sent_on=now.astimezone(context.zone).date())
    # The objects get what the statement wrote; reading the rows again would cost as much as the claim.
    for job in ready:
        job.status = SendJob.Status.CLAIMED
        job.lease = lease
        text, html = texts[job.pk]
        job.text = text
        job.html = html


def _pause_for_limit(sender: Sender, state: SenderState, now: dt.datetime) -> None:
    """Pause the sender until a slot opens, or briefly when claims of other workers fill the limits."""
    full = [limit for limit in state.limits if limit.used >= limit.allowed]
    # Every full limit must have a free slot, so the one that opens last decides.
    latest: Limit | None = max(full, key=lambda limit: limit.opens_at, default=None)
    if latest is None:
        # Claims that are not sent yet fill the limit. They end within seconds: as sent, or released.
        pause(sender, "limit_reserved", _RESERVED_PAUSE)
    else:
        # A slot that has just opened must not give a pause of zero, which would make the worker spin.
        pause(sender, latest.reason, max(0.05, (latest.opens_at - now).total_seconds()))


_held: set[str] = set()
"""Leases that this process uses."""


@contextmanager
def holding() -> Iterator[str]:
    """Give a new lease, which this process uses until the block ends."""
    lease = new_id()
    _held.add(lease)
    try:
        yield lease
    finally:
        _held.discard(lease)


@transaction.atomic
# Not through the sender's lock: to release takes nothing from any limit.
def release_claim(lease: str) -> None:
    """Release the messages that were claimed under the lease and not started."""
    _held.discard(lease)
    ledger.transition_all(
        SendJob.objects.filter(status=SendJob.Status.CLAIMED, lease=lease),
        to=SendJob.Status.APPROVED,
        lease=None,
        worker=None,
    )


def release_lost_claims() -> None:
    """Release claims of this process that a failed statement left. The sweeper only handles dead processes."""
    orphans = SendJob.claim_policy.orphans
    with unscoped(reason="worker: messages that this process claimed and lost"), transaction.atomic():
        for held, freed in orphans.items():
            # A lease in use belongs to a turn that is still running in another thread of this process.
            lost = SendJob.objects.filter(status=held, worker=worker_number()).exclude(lease__in=list(_held))
            ledger.transition_all(lost, to=freed, reason="worker_failed", lease=None, worker=None)


def schedule_retry(job: SendJob, *, until: dt.datetime, detail: str, reply: str) -> bool:
    """Approve the message again after a failed attempt, due later."""
    return ledger.transition(
        job,
        to=SendJob.Status.APPROVED,
        reason=Reason.RETRY_BACKOFF,
        detail=detail,
        attempts=job.attempts + 1,
        due_at=until,
        lease=None,
        worker=None,
        error=detail,
        reply=reply,
        sending_at=None,
    )
