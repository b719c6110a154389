"""The registrations of subscriptions."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import register_notice
from billing.plans.versions import before_plan_change
from billing.subscriptions.notices import NOTICES
from billing.subscriptions.renewals import process_due_subscriptions
from billing.subscriptions.services import provision_subscription
from billing.subscriptions.versions import before_change, tell_of_ends
from core.jobs import PeriodicTask, register
from core.tenancy.provisioning import company_created

register(PeriodicTask("subscriptions", process_due_subscriptions, every=timedelta(minutes=1)))
register(PeriodicTask("subscriptions.terms", tell_of_ends, every=timedelta(minutes=5)))
for notice in NOTICES:
    register_notice(notice)
before_plan_change.connect(before_change)
company_created.connect(provision_subscription)
