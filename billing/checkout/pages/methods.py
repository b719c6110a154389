"""The page of saved payment methods: the default, another one, and the successor of a removed one."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.navigation.places import SETTINGS, MenuItem


class PaymentMethods(BillingPage):
    path = "settings/plan/methods"
    name = "payment-methods"
    purpose = gettext_lazy("Cards and bank transfers.")
    title = gettext_lazy("Payment methods")
    template = "web/plans/methods.html"
    menu = MenuItem(
        gettext_lazy("Payment methods"),
        SETTINGS,
        30,
        "credit-card",
        gettext_lazy("Billing"),
        gettext_lazy("credit card pay bank"),
    )

    def show(self) -> Values:
        methods = self.read("subscription/payment-methods", {"p": "1", "n": "50"}).data
        ways = self.read("subscription/payment-methods/setup").data["gateways"] if self.may_buy() else []
        subscription = self.subscription
        renews = subscription["isOpen"] and subscription["interval"] and not subscription["cancelAtPeriodEnd"]
        return {
            "methods": [
                {**method, "heir": heir_of(method, methods), "expired": is_expired(method)} for method in methods
            ],
            "ways": ways,
            "can_delete": self.may_buy("DELETE"),
            "can_change": self.may_buy("PUT"),
            "renews_at": subscription["period"]["end"]
            if renews and subscription["status"] in ("active", "past_due")
            else None,
        }

    def do_add(self) -> HttpResponse:
        body = {"gateway": self.request.POST.get("gateway", "")}
        answer = self.ask("POST", "subscription/payment-methods/setup", None, body)
        if not answer.ok:
            return self.refuse(answer)
        return self.page({**self.show(), "go_on": answer.data["redirectUrl"]})

    def do_default(self) -> HttpResponse:
        body = {"paymentMethodID": self.sent_id()}
        answer = self.ask("PUT", f"subscription/{self.subscription['_id']}", None, body)
        return self.redirect_with_toast(_("Used for payments from now on")) if answer.ok else self.refuse(answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"subscription/payment-methods/{self.sent_id()}")
        return self.redirect_with_toast(_("Removed")) if answer.ok else self.refuse(answer)


def is_expired(method: Values) -> bool:
    """Return whether a card's last day has gone."""
    return bool(method["expiresOn"] and str(method["expiresOn"])[:10] < timezone.now().date().isoformat())


def heir_of(method: Values, methods: Sequence[Values]) -> str:
    """Return the label of the method that is charged once this one, the default, is removed; or nothing."""
    others = [other for other in methods if other["_id"] != method["_id"] and not is_expired(other)]
    newest = max(others, key=lambda other: (str(other["createdAt"]), other["_id"]), default=None)
    return newest["label"] if method["isDefault"] and newest else ""
