"""The registrations of subscriptions."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from billing.plans.versions import before_plan_change
from billing.subscriptions.notices import NOTICES
from billing.subscriptions.services import provision_subscription
from billing.subscriptions.versions import before_change
from core.tenancy.provisioning import company_created

for notice in NOTICES:
    register_notice(notice)
before_plan_change.connect(before_change)
company_created.connect(provision_subscription)
