"""Reads of subscriptions."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from accounts.settings.formats import formats_of
from billing.plans.models import Plan, PlanVersion
from billing.plans.versions import meter_price_of, with_terms
from billing.subscriptions.models import OPEN, Subscription
from core.access import GRACE, PAUSED

Status = Subscription.Status
SOON = timedelta(days=7)
"""Time before the end of a trial from which the banner mentions it."""
PLAN_PAGE = "settings/plan"


class StateWords(NamedTuple):
    """The message about a subscription: its kind, a sentence, and a link below the company's address."""

    kind: str
    sentence: str
    link: str | None


def is_open(subscription: Subscription) -> bool:
    """Return whether the subscription gives its company access now."""
    now = timezone.now()
    has_ended = subscription.ends_at is not None and subscription.ends_at <= now
    return subscription.status in OPEN and subscription.starts_at <= now and not has_ended


def grace_begins(ends_at: datetime) -> datetime:
    """Return when half of the grace period of a subscription has gone whose access ends at `ends_at`."""
    return ends_at - settings.GRACE_PERIOD / 2


def restricted_phase(status: str, ends_at: datetime | None) -> str:
    """Return the restricted phase of an open subscription: GRACE if it is unpaid for half of the grace period,
    PAUSED, or ""."""
    if status == Status.PAUSED:
        return PAUSED
    late = status == Status.PAST_DUE and ends_at is not None and grace_begins(ends_at) <= timezone.now()
    return GRACE if late else ""


def state_words(subscription: Subscription | None) -> StateWords | None:
    """Return the message about the subscription's state for the company's people, or None.

    Kinds: none, trial (it ends soon), past_due, grace, paused, cancelling, ended.
    """
    if subscription is None:
        return StateWords("none", "There is no subscription yet: choose a plan to begin.", PLAN_PAGE)
    end, status = subscription.ends_at, subscription.status
    if not is_open(subscription):
        return StateWords("ended", "The subscription has ended. Your data is kept: choose a plan to go on.", PLAN_PAGE)
    if status == Status.PAUSED:
        until = f" until {_day(subscription, subscription.paused_until)}" if subscription.paused_until else ""
        return StateWords("paused", f"The subscription is paused{until}: you can look, and change nothing.", PLAN_PAGE)
    if status == Status.PAST_DUE and restricted_phase(status, end) == GRACE:
        day = _day(subscription, end)
        sentence = f"The subscription is not paid: nothing new is sent or begun, and access ends on {day}."
        return StateWords("grace", sentence, PLAN_PAGE)
    if status == Status.PAST_DUE:
        from_day = _day(subscription, grace_begins(end)) if end else ""
        sentence = (
            f"The subscription is to be paid: from {from_day} nothing new is sent or begun,"
            f" and access ends on {_day(subscription, end)}."
        )
        return StateWords("past_due", sentence, PLAN_PAGE)
    if subscription.cancel_at_period_end:
        sentence = f"The subscription is cancelled, and ends on {_day(subscription, end)}."
        return StateWords("cancelling", sentence, PLAN_PAGE)
    if status == Status.TRIAL and end is not None and end - timezone.now() <= SOON:
        days = max(1, -int(-(end - timezone.now()).total_seconds() // 86400))
        time_left = f"in {days} days" if days > 1 else "within a day"
        sentence = f"The trial ends {time_left}, on {_day(subscription, end)}: choose a plan to go on."
        return StateWords("trial", sentence, PLAN_PAGE)
    return None


def _day(subscription: Subscription, moment: datetime | None) -> str:
    return formats_of(subscription.company_id).date(moment) if moment else ""


def in_trial() -> bool:
    """Return whether the active company's primary subscription is a trial."""
    is_trial: bool = Subscription.objects.filter(is_primary=True, status=Subscription.Status.TRIAL).exists()
    return is_trial


def primary_subscription() -> Subscription | None:
    """Return the active company's primary subscription with its plan, in any state."""
    subscription: Subscription | None = (
        Subscription.objects.select_related("plan", "version").filter(is_primary=True).first()
    )
    return subscription


def lapsed_since() -> datetime | None:
    """Return since when the active company has no access; None while it has."""
    subscription = primary_subscription()
    if subscription is None:
        return timezone.now() - timedelta(days=365)
    if is_open(subscription):
        return None
    has_ended = subscription.ends_at is not None and subscription.ends_at <= timezone.now()
    return subscription.ends_at if has_ended else subscription.created_at


def subscribed_plan(subscription: Subscription) -> Plan | None:
    """Return the plan of a subscription with the terms that it pays for; None: everything."""
    return None if subscription.plan is None else with_terms(subscription.plan, subscription.version)


def version_at(subscription: Subscription, start: datetime) -> PlanVersion | None:
    """Return the terms that a period of the subscription's plan has which begins then; None: the present ones."""
    version: PlanVersion | None = subscription.version
    return None if version is None or ends_by(version, start) else version


def ends_by(version: PlanVersion, start: datetime) -> bool:
    """Return whether terms have ended for a period that begins then."""
    return version.ends_on is not None and version.ends_on <= start.date()


def meter_price(subscription: Subscription, meter: str) -> Decimal | None:
    """Return the subscription's price of a unit of a meter beyond the included quantity; None: no more can be used."""
    if subscription.plan_id is None:
        return None
    return meter_price_of(subscription.plan_id, subscription.version, meter, subscription.currency)
