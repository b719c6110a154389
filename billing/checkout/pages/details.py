"""The page of the invoices' recipient."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.buy import CHOSEN
from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Fieldset, Form
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

ROWS = (Fieldset("", ("name", "address", ("country", "vatId"), "email")),)


class Details(SettingsForm):
    path = "settings/plan/details"
    name = "billing-details"
    purpose = gettext_lazy("Name, address and tax number on invoices.")
    title = gettext_lazy("Billing details")
    module = "plan"
    menu = MenuItem(
        gettext_lazy("Billing details"),
        SETTINGS,
        40,
        "receipt-text",
        gettext_lazy("Billing"),
        gettext_lazy("invoice address vat tax"),
    )
    needs_subscription = False
    resource = "subscription/billing-details"

    def form(self, values: Values | None = None) -> Form:
        return Form(
            fields=[
                Field("name", _("Name"), autocomplete="organization"),
                Field("address", _("Address"), kind="textarea"),
                Field("country", _("Country"), help_text=_("Enter a name or a code, such as DE.")),
                Field("vatId", _("VAT ID"), help_text=_("Checked against the country.")),
                Field("email", _("Email for invoices"), kind="email"),
            ],
            initial=values,
            fieldsets=ROWS,
        )

    def do_save(self) -> HttpResponse:
        saved = super().do_save()
        plan = self.request.GET.get("plan", "")
        if saved.status_code == 303 and is_id(plan):  # from an order, which goes on with what was changed
            parameters = {name: self.request.GET[name] for name in CHOSEN if name in self.request.GET}
            saved["Location"] = self.address("plan-buy", **parameters)
        return saved

    def may(self, module: str, method: str = "GET") -> bool:
        """Return whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may(module, method)
