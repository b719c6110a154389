"""Terms that paying subscriptions keep when staff change a plan, and their move to its present terms.

A version ends on a date that its subscribers are notified of in advance. Each moves with its first period that begins
on or after that date, so that paid time keeps its terms.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Company
from billing.plans.models import Plan, PlanVersion
from billing.plans.versions import terms_now
from billing.subscriptions.models import OPEN, Subscription
from core.errors import ValidationFailed
from core.tenancy import company_scope, unscoped
from core.text.formats import day_text

NOTICE = timedelta(days=14)
"""The shortest time between the notice and the end of terms."""
BATCH = 100


@transaction.atomic
def keep_terms(plan_id: str) -> PlanVersion | None:
    """Keep the terms of a plan, as the database has them, for those who pay for it: its caller changes them now.

    Returns the new version, or None if no company pays for it. `drop_same` takes it back if nothing was changed.
    """
    # Two members of the staff may change a plan at once. The second sees the
    # terms that the first one has left.
    Plan.objects.select_for_update(no_key=True).get(pk=plan_id)
    with unscoped(reason="plans: subscriptions of all companies keep what they pay for"):
        paying = Subscription.objects.filter(plan_id=plan_id, version=None, status__in=OPEN).exclude(interval="")
        if not paying.exists():
            return None
        version = PlanVersion.objects.create(plan_id=plan_id, **terms_now(plan_id))
        paying.update(version=version, updated_at=timezone.now())
    return version


def before_change(plan_id: str) -> Callable[[], None]:
    """Store the terms of a plan before a change. Return a function to call after the change."""
    return partial(drop_same, keep_terms(plan_id))


@transaction.atomic
def drop_same(version: PlanVersion | None) -> None:
    """Take a version back whose plan has the same terms again."""
    if version is None:
        return
    now = terms_now(version.plan_id)
    if all(getattr(version, name) == value for name, value in now.items()):
        with unscoped(reason="plans: subscriptions of all companies follow the plan again"):
            Subscription.objects.filter(version=version).update(version=None, updated_at=timezone.now())
            version.delete()


def end_version(version: PlanVersion, on: date) -> None:
    """Set the end date of a version. Its subscribers are notified soon. Raises ValidationFailed for a date too
    early."""
    first = timezone.now().date() + NOTICE
    if on < first:
        raise ValidationFailed(
            "too near", f"{day_text(first)} or later, so that everybody has been told in time", field="on"
        )
    PlanVersion.objects.filter(pk=version.pk).update(ends_on=on, updated_at=timezone.now())
    with unscoped(reason="plans: subscribers of all companies are told anew"):
        # Another date is another notice, also for those who know the former date.
        Subscription.objects.filter(version_id=version.pk).update(version_told_at=None)


def notify_of_version_ends() -> bool:
    """Notify the owners of a batch of subscriptions whose terms end (a periodic task). Returns whether more may wait.

    Each notice is sent in the transaction that records it: exactly once, even if workers crash.
    """
    waiting = Q(version__ends_on__isnull=False, version_told_at=None, status__in=OPEN, is_primary=True)
    # A subscription that another worker or a payment has locked is left to the next run.
    rows = Subscription.objects.select_for_update(skip_locked=True, of=("self",), no_key=True).filter(waiting)
    subscriptions = list(rows.select_related("plan", "version").order_by("pk")[:BATCH])
    for row in subscriptions:
        with transaction.atomic(), company_scope(row.company_id):
            company = Company.objects.only("name").get(pk=row.company_id)
            ends_on = row.version.ends_on if row.version is not None else None
            context = {"subscription": row, "company": company, "plan": row.plan, "on": ends_on}
            notify("subscription.terms_end", context, about=("plans", row.pk))
            Subscription.objects.filter(pk=row.pk).update(version_told_at=timezone.now())
    return len(subscriptions) == BATCH
