"""The registrations of disputes."""

from __future__ import annotations

from billing.disputes.services import listen
from billing.payments.hooks import webhook_received

webhook_received.connect(listen)
