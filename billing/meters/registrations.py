"""The registrations of meters."""

from __future__ import annotations

from billing.charges.services import before_charges_billed
from billing.meters.resumption import move_months
from billing.meters.services import Store, charge_ended
from billing.subscriptions.pauses import subscription_resumed
from core.access.meters import set_meter_store

set_meter_store(Store())
before_charges_billed.connect(charge_ended)
subscription_resumed.connect(move_months)
