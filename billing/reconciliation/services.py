"""Reconciliation: a gateway's payments and refunds are compared with the books by our reference.

Only this detects a charge that was made twice, because our books show it once. A payment that is unknown here is
settled. A difference is stored as a report, and staff are notified.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from time import monotonic
from typing import TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from accounts.mails.staff import mail_staff
from accounts.models import User
from billing.disputes.services import watch
from billing.gateways.accounts import active_accounts, gateway_client, record_account_health, with_environment
from billing.gateways.base import (
    AmbiguousOutcome,
    Gateway,
    GatewayRefused,
    Misconfigured,
    PaymentState,
    SettlementEntry,
)
from billing.gateways.models import GatewayAccount
from billing.ledger.models import Posting
from billing.ledger.services import cash_account
from billing.payments.models import Attempt, Refund
from billing.payments.processor import MISCONFIGURED_WAIT, order_of, refresh_attempt
from billing.payments.refunds import book_found
from billing.reconciliation.models import Difference, Reconciliation
from core.errors import NamedError
from core.ids import is_id
from core.jobs import claim, notify_workers, update_owned
from core.jobs.leases import LeaseLost, backoff_delay
from core.tenancy import company_scope, unscoped

log = logging.getLogger(__name__)
Status, Kind = Reconciliation.Status, Difference.Kind
WORK = "reconciliations"
DAILY = timedelta(days=1)
FIRST = timedelta(days=7)
"""Time range of an account's first reconciliation."""
SPAN = timedelta(days=7)
"""Maximum time range of one reconciliation; after an outage several follow each other."""
OVERLAP = timedelta(days=2)
"""Overlap of the gateway's list with the previous period: it dates payments by their creation."""
LAG = timedelta(minutes=10)
"""Age below which a payment counts as in progress and is left to the next reconciliation."""
BATCH = 500
MAX_CHECKED = 500
"""Payments that the gateway does not list, and is asked for one by one."""
MAX_TRIES = 8
PATIENCE = 3
"""Tries after which a payment that the gateway doesn't report is a difference, and no longer blocks the others."""
QUIET = (Kind.SETTLED,)
"""Kinds that need no action: the webhook of a payment did not arrive, and the payment is settled now."""


def begin(account: GatewayAccount, *, by: User | None = None) -> Reconciliation:
    """Begin to compare an account's money, from where the last one ended. Raises BadRequest_400 while one runs."""
    now = timezone.now()
    since = account.reconciled_until or now - FIRST
    # Younger payments are left out: their webhook or their worker may be about to settle them.
    until = min(now - LAG, since + SPAN)
    if until <= since:
        raise NamedError("BadRequest_400", "everything up to ten minutes ago has been compared")
    fresh = Reconciliation(account=account, since=since, until=until, asked_by=by)
    # A unique constraint allows one at a time for each account. Without its error the transaction goes on.
    Reconciliation.objects.bulk_create([fresh], ignore_conflicts=True)
    if not Reconciliation.objects.filter(pk=fresh.pk).exists():
        raise NamedError("BadRequest_400", "one is under way")
    notify_workers(WORK)
    return fresh


def begin_due() -> bool:
    """Start a reconciliation for each account that is on and was not reconciled for a day. Returns False: nothing is
    left."""
    for account in active_accounts():
        last = Reconciliation.objects.filter(account=account).order_by("-created_at").values_list("created_at").first()
        behind = account.reconciled_until is not None and account.reconciled_until < timezone.now() - DAILY
        if last is None or behind or last[0] < timezone.now() - DAILY:
            try:
                begin(account)
            except NamedError as error:
                log.info("gateway-%s: %s", account.letter, error.detail)
    return False


def work(deadline: float) -> None:
    """Make due comparisons, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(Reconciliation, limit=1)
        if not rows:
            return
        try:
            run(rows[0])
        except LeaseLost:
            log.warning("reconciliation %s was taken over by another worker", rows[0].pk)


def run(row: Reconciliation) -> None:
    """Run a claimed reconciliation and release it. An interrupted one starts again; each of its steps counts once."""
    account = with_environment(row.account.letter, row.account) or row.account
    try:
        with record_account_health(account):
            comparison = Comparison(row=row, account=account, gateway=gateway_client(account))
            comparison.run()
    except Misconfigured as error:
        _retry_later(row, MISCONFIGURED_WAIT, str(error))
    except (AmbiguousOutcome, GatewayRefused) as error:
        _retry_later(row, backoff_delay(row.attempts, base=settings.PAYMENT_BACKOFF), str(error))
    else:
        _finish(row, account, comparison)


def _retry_later(row: Reconciliation, wait: timedelta, reason: str) -> None:
    status = Status.FAILED if row.attempts >= MAX_TRIES else Status.DUE
    retry_at = timezone.now() + wait
    update_owned(row, status=status, due_at=retry_at, worker=None, deaths=0, error=reason[:500])


@transaction.atomic
def _finish(row: Reconciliation, account: GatewayAccount, comparison: Comparison) -> None:
    differences = Difference.objects.filter(reconciliation=row)
    loud = differences.exclude(kind__in=QUIET).count()
    update_owned(
        row,
        status=Status.DONE,
        done_at=timezone.now(),
        payments=comparison.payments,
        refunds=comparison.refunds,
        differences=differences.count(),
        worker=None,
        error="",
    )
    GatewayAccount.objects.filter(pk=account.pk).update(reconciled_until=row.until)
    if loud:
        log.error("gateway-%s: %d differences between its money and the books", account.letter, loud)
        mail_staff(
            subject=f"gateway-{account.letter}: {loud} differences between its money and the books",
            text="Money was paid twice, is missing, or is another amount than was asked for.",
            path=reverse("admin:billing_reconciliation_change", args=(row.pk,)),
            permission="billing.view_reconciliation",
        )


@dataclass(kw_only=True)
class Comparison:
    """The comparison of a gateway's list with the books. No transaction is open during calls to the gateway."""

    row: Reconciliation
    account: GatewayAccount
    gateway: Gateway
    payments: int = 0
    refunds: int = 0
    seen: set[str] = field(default_factory=set)

    def run(self) -> None:
        lines = self.gateway.list_settled(self.row.since - OVERLAP, self.row.until)
        for batch in batches(lines):
            with unscoped(reason="reconciliation: the payments that a gateway lists, of all companies"):
                self.payments += self.compare_payments([line for line in batch if line.kind == "payment"])
                self.refunds += self.compare_refunds([line for line in batch if line.kind == "refund"])
                disputed = [line.id for line in batch if line.kind == "dispute"]
                if disputed:
                    watch(self.account, Q(payment_ref__in=disputed, disputed_minor=0))
        with unscoped(reason="reconciliation: what is booked of all companies"):
            self.look_for_missing()

    def compare_payments(self, lines: Sequence[SettlementEntry]) -> int:
        attempts = self.attempts(line.reference for line in lines)
        for line in lines:
            attempt = attempts.get(line.reference)
            # A payment that did not come from this service, such as by another system with the same account.
            if attempt is None:
                self.differs(Kind.STRANGE, line)
                continue
            self.seen.add(attempt.pk)
            if attempt.status != Attempt.Status.PAID:
                self.settle(attempt, line)
            elif attempt.payment_ref != line.id:
                # The same reference was paid twice there: our books know one of the
                # two, and staff refund the other.
                self.differs(Kind.TWICE, line, attempt)
            elif (line.amount, line.currency) != (attempt.payment.amount_minor, attempt.payment.currency):
                self.differs(Kind.WRONG, line, attempt)
        return len(lines)

    def settle(self, attempt: Attempt, line: SettlementEntry) -> None:
        """Settle an attempt that is paid at the gateway and not here."""
        with company_scope(attempt.company_id):
            try:
                refreshed = refresh_attempt(attempt)
            except (Misconfigured, GatewayRefused, AmbiguousOutcome) as error:
                log.warning("attempt %s could not be looked at: %s", attempt.pk, error)
                refreshed = attempt
        kinds = {Attempt.Status.PAID: Kind.SETTLED, Attempt.Status.WRONG: Kind.WRONG}
        kind = kinds.get(Attempt.Status(refreshed.status), Kind.UNCLEAR)
        self.differs(Kind.TWICE if kind == Kind.SETTLED and refreshed.payment_ref != line.id else kind, line, attempt)

    def compare_refunds(self, lines: Sequence[SettlementEntry]) -> int:
        ids = [line.reference for line in lines if is_id(line.reference)]
        rows = Refund.objects.filter(pk__in=ids, attempt__letter=self.account.letter)
        refunds = {row.pk: row for row in rows.select_related("attempt__payment__invoice")}
        for line in lines:
            refund = refunds.get(line.reference)
            # The gateway has refunded money without our approval.
            if refund is None or refund.status in (Refund.Status.ASKED, Refund.Status.REJECTED):
                self.differs(Kind.STRANGE, line)
            elif (line.amount, line.currency) != (refund.amount_minor, refund.currency):
                self.differs(Kind.WRONG, line, refund)
            elif refund.status == Refund.Status.DONE:
                if refund.gateway_id != line.id and refund.to == Refund.To.GATEWAY:
                    self.differs(Kind.TWICE, line, refund)
            else:
                with company_scope(refund.company_id):
                    book_found(refund, line.id)
                self.differs(Kind.SETTLED, line, refund)
        return len(lines)

    def look_for_missing(self) -> None:
        """Query the gateway one by one for payments that are booked here and missing in its lists."""
        booked = booked_by(self.account.letter, self.row.since, self.row.until)
        queries = 0
        for batch in batches(booked.values_list("tx", flat=True).iterator(BATCH)):
            unseen_ids = [tx.removeprefix("pay:") for tx in batch if tx.removeprefix("pay:") not in self.seen]
            for attempt in self.attempts(unseen_ids).values():
                # A short list means that the list is wrong. Asking for thousands one
                # by one would hide that for hours.
                queries += 1
                if queries > MAX_CHECKED:
                    raise AmbiguousOutcome(f"its list lacks more than {MAX_CHECKED} payments")
                self.ask(attempt)

    def ask(self, attempt: Attempt) -> None:
        if attempt.disputed_minor or attempt.refunds.exists():
            return  # what became of the money is known; some gateways call it failed by now
        with company_scope(attempt.company_id):
            line = SettlementEntry(
                kind="payment",
                id=attempt.payment_ref,
                reference=attempt.pk,
                amount=0,
                currency=attempt.payment.currency,
            )
            try:
                gateway_state = self.gateway.find(order_of(attempt, self.account)).state
            except GatewayRefused:
                gateway_state = PaymentState.NONE
            except AmbiguousOutcome:
                if self.row.attempts < PATIENCE:
                    raise  # it may be down
                self.differs(Kind.UNCLEAR, line, attempt)
                return
        if gateway_state is not PaymentState.PAID:
            self.differs(Kind.MISSING, line, attempt)

    def attempts(self, references: Iterable[str]) -> dict[str, Attempt]:
        ids = [reference for reference in references if is_id(reference)]
        rows = Attempt.objects.filter(pk__in=ids, letter=self.account.letter, adapter=self.account.adapter)
        return {row.pk: row for row in rows.select_related("payment__invoice", "payment__plan", "method")}

    def differs(self, kind: str, line: SettlementEntry, ours: Attempt | Refund | None = None) -> None:
        """Keep a difference, once."""
        here = None
        if isinstance(ours, Attempt):
            here = ours.payment.amount_minor
        elif ours is not None:
            here = ours.amount_minor
        fresh = Difference(
            reconciliation=self.row,
            account_id=self.account.pk,
            kind=kind,
            what=line.kind,
            gateway_ref=line.id[:255],
            reference=line.reference[:255],
            payer_id=ours.company_id if ours else None,
            amount_there=line.amount,
            amount_here=here,
            currency=line.currency[:3],
        )
        # An interrupted run begins again and meets the same differences, of which staff are notified once.
        Difference.objects.bulk_create([fresh], ignore_conflicts=True)


def booked_by(gateway_slot: str, since: datetime, until: datetime) -> QuerySet[Posting]:
    """Return the postings of payments by a gateway. The index covers cash alone, so the query repeats that
    condition."""
    rows = Posting.objects.filter(
        account=cash_account(gateway_slot), account__startswith="cash:", tx__startswith="pay:"
    )
    postings: QuerySet[Posting] = rows.filter(created_at__gte=since, created_at__lt=until).order_by("created_at", "pk")
    return postings


Each = TypeVar("Each")


def batches(rows: Iterable[Each]) -> Iterator[list[Each]]:
    """Yield the rows, BATCH at a time."""
    source = iter(rows)
    while batch := list(islice(source, BATCH)):
        yield batch


def clear(difference: Difference, *, note: str, by: User) -> None:
    """Note that staff have seen to a difference."""
    values = {"cleared_at": timezone.now(), "cleared_by": by, "note": note[:300], "updated_at": timezone.now()}
    Difference.objects.filter(pk=difference.pk).update(**values)
