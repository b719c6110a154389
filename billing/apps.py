from django.apps import AppConfig
from django.db.models.signals import post_migrate


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing import notices  # noqa: F401  (registers them)
        from billing.catalogue import seed
        from billing.jobs import subscriptions  # noqa: F401  (registers its work)
        from billing.selectors import entitlement_of
        from billing.services import subscriptions as subscription_services
        from core.access import set_entitlements
        from core.companies import on_company_created

        set_entitlements(entitlement_of)
        on_company_created(subscription_services.begin)
        post_migrate.connect(seed, sender=self, dispatch_uid="billing.catalogue")
