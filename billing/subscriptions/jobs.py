"""The work of subscriptions."""

from __future__ import annotations

from datetime import timedelta

from billing.subscriptions.renewals import process_due_subscriptions
from billing.subscriptions.versions import tell_of_ends
from core.jobs import PeriodicTask, register

register(PeriodicTask("subscriptions", process_due_subscriptions, every=timedelta(minutes=1)))
register(PeriodicTask("subscriptions.terms", tell_of_ends, every=timedelta(minutes=5)))
