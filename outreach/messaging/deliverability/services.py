"""Checks of senders' domains: at once, and of all senders once a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from random import SystemRandom
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.jobs.leases import claim
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.text.translation import gettext_lazy
from core.types import JsonObject
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.senders.models import Smtp
from outreach.connections.senders.services import get_sender
from outreach.messaging.deliverability.checks import Sender, check
from outreach.messaging.deliverability.keys import domain_of, own_key, status_after
from outreach.messaging.deliverability.lookups import DnsLookups
from outreach.messaging.deliverability.models import DkimKey, SenderCheck
from outreach.messaging.deliverability.results import Light, Result, worst

TURNED_RED = Notice(
    "sender.undeliverable", gettext_lazy("DNS records of a sender are wrong"), "notice_sender_undeliverable"
)

SECONDS = 8.0
"""Time limit of all look-ups of one check."""
EVERY = timedelta(days=1)
RETRY_DELAY = timedelta(hours=1)
MAX_TRIES = 3
BATCH = 10
MAX_BATCH_ROWS = 1000
ACTIVE = Q(smtp__is_active=True)
_random = SystemRandom()


@dataclass(frozen=True)
class DomainResult:
    """The result of a check of a sender."""

    domain: str
    results: Sequence[Result]

    @property
    def light(self) -> Light:
        return worst(one.light for one in self.results)

    @property
    def complete(self) -> bool:
        """Return whether the name servers answered every query."""
        return all(one.asked for one in self.results)

    def values(self) -> JsonObject:
        """Return the columns of the SenderCheck. The next check is about a day later, at a random time."""
        now = timezone.now()
        # Spread, so that senders added together are not checked together each day; never later than a day.
        return {
            "domain": self.domain,
            "light": self.light.value,
            "results": [asdict(one) for one in self.results],
            "checked_at": now,
            "due_at": now + EVERY * _random.uniform(0.95, 1.0),
        }


def check_sender_now(*, id: str) -> None:
    """Check the sender's domain now, and store the results.

    Raises SmtpNotFound_404, and ConnectionTestRunning_429 while another test of the company runs.
    """
    smtp = get_sender(id)
    key = DkimKey.objects.filter(domain=domain_of(smtp)).first()
    # Before any transaction, and one at a time for a company, since it holds a web thread for seconds.
    with connection_test_slot():
        outcome = _check(smtp, key)
    with transaction.atomic():
        row, _created = SenderCheck.objects.get_or_create(smtp=smtp)
        SenderCheck.objects.filter(pk=row.pk).update(**outcome.values(), updated_at=timezone.now())
        # A check by hand that worked frees a row that was parked after dead workers.
        SenderCheck.objects.filter(pk=row.pk, status=SenderCheck.Status.FAILED).update(status="waiting", deaths=0)
        _set_statuses([(key, outcome)] if key else [])


def add_new_senders() -> bool:
    """Add checks for the active senders that have none. Returns whether there may be more.

    The demo's senders have domains that do not exist.
    """
    if settings.DEMO:
        return False
    checked = SenderCheck.objects.filter(smtp=OuterRef("pk"))
    new = Smtp.objects.filter(~Exists(checked), is_active=True).order_by("pk")
    rows = list(new.values_list("pk", "company_id")[:MAX_BATCH_ROWS])
    # A check by hand may have made the row at the same moment.
    SenderCheck.objects.bulk_create(
        [SenderCheck(smtp_id=pk, company_id=company) for pk, company in rows], ignore_conflicts=True
    )
    return len(rows) == MAX_BATCH_ROWS


def due_checks(now: Moment) -> list[QuerySet[SenderCheck]]:
    """Return the checks of active senders that are due."""
    return [SenderCheck.claimable(now, ACTIVE)]


def check_due(deadline: float) -> None:
    """Check the domains of active senders, a few at a time, until none is due or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(SenderCheck, limit=BATCH, extra=ACTIVE)
        if not rows:
            return
        with unscoped(reason="worker: senders of all companies whose check is due"):
            senders = Smtp.objects.in_bulk([row.smtp_id for row in rows])
            keys = DkimKey.objects.filter(
                company__in={row.company_id for row in rows},
                domain__in={domain_of(sender) for sender in senders.values()},
            )
            by_place = {(key.company_id, key.domain): key for key in keys}
        checked = []
        for row in rows:
            # The sender may have been deleted since the claim, and its check with it.
            smtp = senders.get(row.smtp_id)
            if smtp is not None:
                key = by_place.get((smtp.company_id, domain_of(smtp)))
                # No transaction is open here: name servers may take all of the 8 seconds.
                checked.append(Checked(row, smtp, key, _check(smtp, key)))
        _settle(checked)


@dataclass(frozen=True)
class Checked:
    """A claimed check with its sender, its key and its results."""

    row: SenderCheck
    smtp: Smtp
    key: DkimKey | None
    found: DomainResult


def _check(smtp: Smtp, key: DkimKey | None) -> DomainResult:
    domain = domain_of(smtp)
    return DomainResult(domain, check(Sender(domain, smtp.host, own_key(key)), DnsLookups(SECONDS)))


def _settle(checked: Sequence[Checked]) -> None:
    """Store the results, and notify the owners of senders that turned red, once: in one transaction.

    Rows that another worker has taken over since are left alone.
    """
    with unscoped(reason="worker: checks of senders of all companies"), transaction.atomic():
        leases = {entry.row.pk: entry.row.lease for entry in checked}
        rows = SenderCheck.objects.select_for_update(of=("self",)).in_bulk(leases)
        # The look-ups took long enough for the sweeper to have given the row to another worker.
        held = [entry for entry in checked if entry.row.pk in rows and rows[entry.row.pk].lease == leases[entry.row.pk]]
        turned = [entry for entry in held if _store(rows[entry.row.pk], entry.found)]
        SenderCheck.objects.bulk_update(
            [rows[entry.row.pk] for entry in held],
            ["status", "lease", "worker", "attempts", "deaths", "due_at", "updated_at"]
            + ["domain", "light", "results", "checked_at"],
        )
        _set_statuses((entry.key, entry.found) for entry in held if entry.key)
        for entry in turned:
            with company_scope(entry.smtp.company_id):
                texts = [result.text for result in entry.found.results if result.light == Light.RED]
                notify(TURNED_RED.key, {"smtp": entry.smtp, "told": texts}, about=("smtp", entry.smtp.pk))


def _store(row: SenderCheck, outcome: DomainResult) -> bool:
    """Set the columns of a check that has ended. Returns whether the sender turned red.

    Failed queries of the name servers are repeated soon, before the result has any effect.
    """
    row.status = SenderCheck.Status.WAITING
    row.lease = None
    row.worker = None
    row.deaths = 0
    row.updated_at = timezone.now()
    # Name servers that were away for a moment must turn nobody's light red.
    if not outcome.complete and row.attempts < MAX_TRIES:
        row.due_at = row.updated_at + RETRY_DELAY
        return False
    # Reported once, when it turns, and not each day.
    turned = outcome.light == Light.RED and row.light != Light.RED
    row.attempts = 0
    for name, value in outcome.values().items():
        setattr(row, name, value)
    return turned


def _set_statuses(keys: Iterable[tuple[DkimKey, DomainResult]]) -> None:
    """Set the status of keys: those whose records were found sign, the others don't."""
    by_status: dict[str, list[str]] = {}
    for key, outcome in keys:
        status = next(status_after(key, result) for result in outcome.results if result.name == "dkim")
        if status != key.status:
            by_status.setdefault(status, []).append(key.pk)
    for status, ids in by_status.items():
        DkimKey.objects.filter(pk__in=ids).update(status=status, updated_at=timezone.now())
