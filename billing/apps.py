from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from core.registrations import load


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing.plans.defaults import seed

        load(self)
        post_migrate.connect(seed, sender=self, dispatch_uid="billing.plans.defaults")
