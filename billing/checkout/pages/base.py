"""Shared parts of the billing pages. A lapsed company can open them too."""

from __future__ import annotations

from functools import cached_property

from billing.checkout.types import QuoteData
from billing.entitlements.types import SubscriptionPlansData
from core.text.labels.features import feature_of
from core.text.labels.modules import name_of
from core.text.translation import gettext_lazy
from core.types import JsonObject
from core.web.ask import Answer
from core.web.forms import Form
from core.web.navigation.places import PLAN_MENU
from core.web.pages import Page

PRICE_CHANGED = gettext_lazy("The price has changed. Check it before you order.")


class BillingPage(Page):
    """A page below that of the plan."""

    module = "plan"
    menu = PLAN_MENU
    needs_subscription = False

    @cached_property
    def subscription(self) -> SubscriptionPlansData:
        """The company's subscription, as the plan's page has it."""
        record: SubscriptionPlansData = self.read("plans", {"p": "1", "n": "1"}).data
        return record

    def may_buy(self, method: str = "POST") -> bool:
        """Return whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may("plan", method)


def losses(quote: QuoteData | None) -> JsonObject:
    """Return the template's data about the losses from a quote."""
    if quote is None:
        return {"lost": [], "over": []}
    return {
        "lost": [feature_of(module) for module in quote["loses"]["modules"]],
        "over": [(name_of(limit["module"]), limit) for limit in quote["loses"]["limits"]],
    }


def show_order_errors(form: Form, answer: Answer) -> None:
    """Put a refusal into a form; that of a price and of add-ons as text, because no field has their names."""
    if answer.refuses("proof"):
        form.add_error(None, PRICE_CHANGED)
    elif answer.refuses("addOns"):
        form.add_error(None, [answer.message, answer.reason])
    else:
        form.refuse(answer)
