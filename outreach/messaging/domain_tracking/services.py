"""Use cases of tracking hosts: add, delete, check at once, and again each day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from random import SystemRandom
from time import monotonic

import idna
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string

from core.access import reserve_quota
from core.errors import NamedError, ValidationFailed
from core.jobs.leases import LeaseLost, claim, update_owned
from core.jobs.registry import Moment
from core.lists import BulkSelection, in_batches
from core.tenancy import company_scope
from crm.records.writes.unique_names import save_unique_name
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.messaging.deliverability.lookups import DnsLookups
from outreach.messaging.domain_tracking.checks import SECONDS, CheckResult, check
from outreach.messaging.domain_tracking.hosts import forget, is_name, own_host
from outreach.messaging.domain_tracking.models import DomainTracking

MODULE = "domain-tracking"
TAKEN, NOT_FOUND = "DomainTrackingNameAlreadyExists_400", "DomainTrackingNotFound_400"
MAX_HOSTS = 20
"""Hosts of a company."""
EVERY = timedelta(days=1)
AGAIN = timedelta(hours=1)
MAX_TRIES = 3
"""A verified host stays so until so many checks in a row have not reached its name servers or itself."""
State = DomainTracking.State
_random = SystemRandom()


def get_domain(id: str) -> DomainTracking:
    """Return the company's tracking host with this id. Raises DomainTrackingNotFound_400."""
    domain: DomainTracking | None = DomainTracking.objects.filter(pk=id).first()
    if domain is None:
        raise NamedError(NOT_FOUND, "there is no such tracking domain in this company", field="id")
    return domain


@transaction.atomic
def create_domain(*, member_id: str, name: str) -> DomainTracking:
    """Add a host. It is checked for the first time when a member requests it, or within a day.

    Raises ValidationFailed for an invalid host name, DomainTrackingNameAlreadyExists_400, PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    if DomainTracking.objects.count() >= MAX_HOSTS:
        raise ValidationFailed(
            "name: too many", f"a company has at most {MAX_HOSTS} tracking domains; delete one", field="name"
        )
    domain = DomainTracking(
        name=read_name(name),
        proof=f"leadwright={get_random_string(32)}",
        # A day later: until a member has published the records, a check could only fail.
        due_at=timezone.now() + EVERY,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    save_unique_name(domain, TAKEN)
    forget(domain.name)
    return domain


def read_name(text: str) -> str:
    """Return the host in ASCII and lower case. Raises ValidationFailed."""
    try:
        name = idna.encode(text.strip().rstrip("."), uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        name = ""
    if not is_name(name):
        raise ValidationFailed("name is no host", "enter a domain, such as click.example.com", field="name")
    # Its own check would succeed, and the company would own the service's host.
    if name == own_host() or name in settings.ALLOWED_HOSTS:
        raise ValidationFailed(
            "name is the service's own", f"enter a domain of your own; {name} belongs to this service", field="name"
        )
    return name


@transaction.atomic
def delete_domains(*, selection: BulkSelection) -> int:
    """Delete hosts; links that lead to them work no longer. Returns how many. Raises DomainTrackingNotFound_400."""
    deleted = 0
    for ids in in_batches(selection.apply(DomainTracking.objects.all()), lock=True):
        rows = DomainTracking.objects.filter(pk__in=ids)
        for name in rows.values_list("name", flat=True):
            forget(name)
        rows.delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a tracking domain of this company", field="ids")
    return deleted


def check_now(*, id: str, member_id: str) -> None:
    """Check a host now. Raises DomainTrackingNotFound_400, and ConnectionTestRunning_429 while another test runs."""
    domain = get_domain(id)
    # Before the transaction: name servers and the host itself may take seconds.
    with connection_test_slot():
        outcome = _check(domain)
    with transaction.atomic():
        # Read again: it may have been deleted, or checked by a worker, in these seconds.
        row = DomainTracking.objects.select_for_update(of=("self",)).filter(pk=id).first()
        if row is None:
            raise NamedError(NOT_FOUND, "the tracking domain has been deleted meanwhile", field="id")
        row.updated_by_id = member_id
        row.attempts = 0
        row.deaths = 0
        if row.status == DomainTracking.Work.FAILED:
            row.status = DomainTracking.Work.WAITING
        _settle(row, outcome)
        _save(row, ["updated_by", "attempts", "deaths", "status"])


def _check(domain: DomainTracking) -> CheckResult:
    return check(domain.name, domain.proof, DnsLookups(SECONDS))


def _settle(row: DomainTracking, outcome: CheckResult) -> None:
    """Set the columns of a host after a check. What could not be asked changes nothing, until it has been so thrice."""
    now = timezone.now()
    row.checked_at = now
    row.detail = outcome.detail
    row.due_at = now + EVERY * _random.uniform(0.95, 1.0)
    if outcome.ok:
        row.state = State.VERIFIED
        row.verified_at = row.verified_at or now
    # Links in mails that have gone depend on it, so it is not given up for one failed question.
    elif row.state == State.VERIFIED and not outcome.asked and row.attempts < MAX_TRIES:
        row.due_at = now + AGAIN
        return
    elif row.state == State.VERIFIED:
        row.state = State.LOST
    row.attempts = 0


def _save(row: DomainTracking, others: Iterable[str]) -> None:
    """Store the result of a check. A host that another company has verified first is not verified."""
    columns = ["state", "detail", "checked_at", "verified_at", "due_at", "attempts", "updated_at", *others]
    try:
        # A savepoint: after the IntegrityError the transaction would take no other statement.
        with transaction.atomic():
            row.save(update_fields=columns)
    except IntegrityError as error:
        if "domaintracking_one_owner" not in str(error):
            raise
        row.state = State.PENDING
        row.verified_at = None
        row.detail = "Another company uses this host."
        row.save(update_fields=columns)
    forget(row.name)


def due_checks(now: Moment) -> list[QuerySet[DomainTracking]]:
    """Return the hosts to be checked. The demo's hosts do not exist."""
    return [] if settings.DEMO else [DomainTracking.claimable(now)]


def check_due(deadline: float) -> None:
    """Check hosts of all companies until none is due or monotonic() passes the deadline."""
    while monotonic() < deadline:
        # Each check waits for strangers' servers; claimed rows should not wait for it.
        rows = claim(DomainTracking, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            outcome = _check(rows[0])
            _store_claimed(rows[0], outcome)


@transaction.atomic
def _store_claimed(row: DomainTracking, outcome: CheckResult) -> None:
    """Store the result of the check of a claimed host, unless another worker has claimed it since."""
    try:
        # The lease is checked after the look-ups, in the transaction that stores their result.
        update_owned(row, status=DomainTracking.Work.WAITING, worker=None, deaths=0)
    except LeaseLost:
        return
    _settle(row, outcome)
    row.lease = None
    _save(row, ["lease"])
