from django.apps import AppConfig


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing.selectors import entitlement_of
        from core.access import set_entitlements

        set_entitlements(entitlement_of)
