"""The registrations of payment methods."""

from __future__ import annotations

from billing.methods.models import MethodSetup
from billing.methods.services import WORK, listen, work
from billing.methods.views import MethodSetupViewSet
from billing.payments.hooks import webhook_received
from core.api.routes import protected
from core.jobs import QueueWork, register

protected.register("subscription/payment-methods/setup", MethodSetupViewSet)
register(QueueWork(WORK, work, queue="send", task="billing.check_method_setups", model=MethodSetup))
webhook_received.connect(listen)
