"""The pages of products and services."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import REST, Field, Fieldset, Form
from core.web.forms.record_forms import choice_of, fields_query, form_values, record_fields
from core.web.lists import Column
from core.web.navigation.places import LEADS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

PRODUCTS = Records(
    "product-service", "products", "package", gettext_lazy("Products and services for leads and messages.")
)
DELETED = ngettext_lazy("Deleted %(count)s product", "Deleted %(count)s products")


class ProductPage(Page):
    module = "product-service"
    menu = MenuItem(
        gettext_lazy("Products"), LEADS, 20, "package", keywords=gettext_lazy("services prices catalog items")
    )
    kind = PRODUCTS

    @cached_property
    def definitions(self) -> list[Values]:
        """The definitions of the products' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("productService")) if self.may("custom-field") else None
        rows = answer.data if answer is not None and answer.ok else []
        return [definition for definition in rows if not definition["hide"] and not definition["children"]]


class Products(RecordList, ProductPage):
    path = name = "products"
    title = gettext_lazy("Products and services")
    adds = "product-new"
    add_label = gettext_lazy("New product")
    none = gettext_lazy("No products yet")
    count = ngettext_lazy("%(count)s product", "%(count)s products")
    rows = "web/products/rows.html"
    picks = "web/products/actions.html"
    hint = gettext_lazy("Name, description, number")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("type", gettext_lazy("Type"), "type"),
        Column("category", gettext_lazy("Category"), "category"),
        Column("sku", gettext_lazy("Number"), "sku"),
        Column("price", gettext_lazy("Price"), "price", css="right num"),
        Column("isActive", gettext_lazy("Status"), "isActive"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )

    @cached_property
    def choices(self) -> list[Choice]:
        names = ("type", "category", "sku", "price")
        return [
            choice_of(definition)
            for definition in self.definitions
            if not definition["isSystem"] or definition["uniqueFieldID"] in names
        ]

    def do_delete(self) -> HttpResponse:
        sent = self.request.POST
        if "all" in sent:
            answer = self.ask("DELETE", "product-service", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "product-service", None, {"ids": sent.getlist("ids")})
        here = self.request.path + self.state.link()
        if not answer.ok:
            return self.refuse(answer, here)
        count = answer.data["deletedCount"]
        if count is None:
            return self.redirect_with_toast(_("Deleting products"), here, watch=answer.job)
        return self.redirect_with_toast(DELETED.of(count), here, undo=answer.job)


FIELDSETS = (
    Fieldset(gettext_lazy("Product"), ("name", ("type", "category"), "description", ("sku", "isActive"))),
    Fieldset(gettext_lazy("Price"), (("price", "currency", "unit"),)),
    Fieldset(gettext_lazy("More details"), (REST,)),
)


class ProductForm(RecordForm, ProductPage):
    """The form of a product: the company's fields of products, in their order."""

    def form(self, values: Values | None = None) -> Form:
        fields = record_fields(self, self.definitions, values)
        return Form(fields=fields or [Field("name", _("Name"), required=True)], initial=values, fieldsets=FIELDSETS)

    def body(self, values: Values) -> JsonObject:
        return {"formData": dict(values)}


class NewProduct(NewRecord, ProductForm):
    path = "products/new"
    name = "product-new"
    title = gettext_lazy("New product")
    action = title
    added = gettext_lazy("Product added")

    def body(self, values: Values) -> JsonObject:
        return super().body({name: value for name, value in values.items() if value not in ("", None, [])})


class EditProduct(EditRecord, ProductForm):
    path = "products/<str:id>"
    name = "product"
    tab_name = gettext_lazy("Product")
    saved = gettext_lazy("Product saved")
    deleted = gettext_lazy("Product deleted")
    record_kind = ("product-service", gettext_lazy("Products"))

    def values(self) -> Values:
        return form_values(self.definitions, self.record["formData"])

    def consequence(self) -> str:
        return _("Leads keep the product. You can undo this.")


PAGES = [Products, NewProduct, EditProduct]
