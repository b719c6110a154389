"""The registrations of payment methods."""

from __future__ import annotations

from billing.methods.services import listen
from billing.payments.hooks import webhook_received

webhook_received.connect(listen)
