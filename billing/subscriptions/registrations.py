"""The registrations of subscriptions."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import Notice, register_notice
from billing.plans.versions import before_plan_change
from billing.subscriptions.renewals import process_due_subscriptions
from billing.subscriptions.services import provision_subscription
from billing.subscriptions.versions import before_change, notify_of_version_ends
from core.jobs import PeriodicTask, register
from core.tenancy.provisioning import company_created
from core.text.translation import gettext_lazy

register(PeriodicTask("subscriptions", process_due_subscriptions, every=timedelta(minutes=1)))
register(PeriodicTask("subscriptions.terms", notify_of_version_ends, every=timedelta(minutes=5)))
register_notice(Notice("payment_method.expiring", gettext_lazy("Card expires soon"), "notice_card_expires"))
register_notice(
    Notice("subscription.ending", gettext_lazy("Subscription ends or is due soon"), "notice_subscription_ending")
)
register_notice(Notice("subscription.past_due", gettext_lazy("Subscription past due"), "notice_subscription_past_due"))
register_notice(Notice("subscription.ended", gettext_lazy("Subscription ended"), "notice_subscription_ended"))
register_notice(Notice("subscription.terms_end", gettext_lazy("Plan terms change"), "notice_subscription_terms_end"))
before_plan_change.connect(before_change)
company_created.connect(provision_subscription)
