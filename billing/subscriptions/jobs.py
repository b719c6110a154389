"""The work of subscriptions."""

from __future__ import annotations

from datetime import timedelta

from billing.subscriptions.renewals import look_at_subscriptions
from core.jobs import PeriodicTask, register

register(PeriodicTask("subscriptions", look_at_subscriptions, every=timedelta(minutes=1)))
