from django.apps import AppConfig
from django.db.models.signals import post_migrate


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing.charges.services import SOURCES
        from billing.entitlements import jobs as entitlements  # noqa: F401  (registers its work and notice)
        from billing.entitlements.selectors import SOURCE
        from billing.meters import jobs as meters  # noqa: F401  (registers its work)
        from billing.meters.services import Store, charge_ended
        from billing.payments import jobs as payments  # noqa: F401  (registers its work)
        from billing.plans.defaults import seed
        from billing.plans.versions import BEFORE_CHANGE
        from billing.subscriptions import jobs as subscriptions  # noqa: F401  (registers its work)
        from billing.subscriptions import notices  # noqa: F401  (registers them)
        from billing.subscriptions import services as subscription_services
        from billing.subscriptions.versions import before_change
        from core.access import set_entitlements
        from core.access.meters import set_meter_store
        from core.tenancy.provisioning import on_company_created

        set_entitlements(SOURCE)
        set_meter_store(Store())
        SOURCES.append(charge_ended)
        BEFORE_CHANGE.append(before_change)
        on_company_created(subscription_services.provision_subscription)
        post_migrate.connect(seed, sender=self, dispatch_uid="billing.plans.defaults")
