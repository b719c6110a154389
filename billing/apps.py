from django.apps import AppConfig
from django.db.models.signals import post_migrate


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing.charges import jobs as charges  # noqa: F401  (registers its work)
        from billing.charges.services import before_charges_billed
        from billing.disputes import jobs as disputes  # noqa: F401  (registers its work)
        from billing.dunning import jobs as dunning  # noqa: F401  (registers its work)
        from billing.dunning import notices as dunning_notices  # noqa: F401  (registers them)
        from billing.entitlements import jobs as entitlements  # noqa: F401  (registers its work and notice)
        from billing.entitlements.banner import state_banner
        from billing.entitlements.selectors import SOURCE
        from billing.meters import jobs as meters  # noqa: F401  (registers its work)
        from billing.meters.resumption import move_months
        from billing.meters.services import Store, charge_ended
        from billing.methods import jobs as methods  # noqa: F401  (registers its work)
        from billing.payments import jobs as payments  # noqa: F401  (registers its work)
        from billing.payments.reports import REPORTS
        from billing.plans.defaults import seed
        from billing.plans.versions import before_plan_change
        from billing.reconciliation import jobs as reconciliation  # noqa: F401  (registers its work)
        from billing.renewals import jobs as renewals  # noqa: F401  (registers its work)
        from billing.subscriptions import jobs as subscriptions  # noqa: F401  (registers its work)
        from billing.subscriptions import (
            notices,  # noqa: F401  (registers them)
            pauses,
        )
        from billing.subscriptions import services as subscription_services
        from billing.subscriptions.versions import before_change
        from billing.taxes import jobs as taxes  # noqa: F401  (registers its work)
        from core.access import set_entitlements
        from core.access.meters import set_meter_store
        from core.reports import register_report
        from core.tenancy.provisioning import company_created
        from core.web.banners import set_banner

        set_entitlements(SOURCE)
        set_banner(state_banner)
        for report in REPORTS:
            register_report(report)
        set_meter_store(Store())
        before_charges_billed.connect(charge_ended)
        before_plan_change.connect(before_change)
        pauses.subscription_resumed.connect(move_months)
        company_created.connect(subscription_services.provision_subscription)
        post_migrate.connect(seed, sender=self, dispatch_uid="billing.plans.defaults")
