"""Shared parts of the pages of organizations."""

from __future__ import annotations

from functools import cached_property

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.forms.record_forms import fields_query, record_fields, shown_fields
from core.web.navigation.places import ORGANIZATIONS_MENU
from core.web.owners import OwnedPage, owner_of

SYSTEM = ("name", "domain")
BESIDE = ("tags", "owner")
FIELDSETS = (
    Fieldset(gettext_lazy("Organization"), (("name", "domain"), "owner")),
    Fieldset(gettext_lazy("More details"), (REST,)),
    Fieldset(gettext_lazy("Groups"), ("tags",)),
)


class OrganizationPage(OwnedPage):
    """Shared parts of the pages of organizations: the company's fields, members and tags."""

    module = "contact"
    menu = ORGANIZATIONS_MENU

    @cached_property
    def definitions(self) -> list[Values]:
        """The definitions of the organizations' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("organization")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    @property
    def own_fields(self) -> list[Values]:
        """The company's own fields that people see."""
        return shown_fields(self.definitions, placed=SYSTEM)

    def system_fields(self) -> list[Field]:
        """Return the fields of an organization's own values."""
        needed = {entry["uniqueFieldID"] for entry in self.definitions if entry["isSystem"] and entry["required"]}
        return [
            Field("name", _("Name"), required=True),
            Field("domain", _("Domain"), required="domain" in needed, placeholder="example.com"),
        ]

    @cached_property
    def tag_options(self) -> list[Option]:
        return self.options_of("tag")

    def tags_field(self) -> Field:
        return Field("tags", _("Tags"), "checks", options=self.tag_options)

    def form(self, values: Values | None = None) -> Form:
        """Make the form of an organization: its system fields, the company's own, owner and tags."""
        fields = [*self.system_fields(), *record_fields(self, self.own_fields, values)]
        fields += [field for field in (self.owner_field(), self.tags_field()) if field.options]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)


def body_of(values: Values) -> JsonObject:
    """Return the API's body for values of the form."""
    beside = {name: values[name] for name in BESIDE if name in values}
    if "owner" in beside:
        beside["owner"] = beside["owner"] or None
    return {"formData": {name: value for name, value in values.items() if name not in beside}, **beside}


def linked_values(organization: Values) -> JsonObject:
    """Return the ids of an organization's owner and tags, by the names of the form."""
    return {"owner": owner_of(organization), "tags": [tag["_id"] for tag in organization["tags"]]}
