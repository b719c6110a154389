"""Shared parts of the pages of contacts."""

from __future__ import annotations

from functools import cached_property

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.forms.record_forms import company_definition, fields_query, record_fields, shown_fields
from core.web.navigation.places import CONTACTS, MenuItem
from core.web.organization_names import NamesOrganization
from core.web.owners import OwnedPage, owner_of

SYSTEM = ("name", "email", "countryCode", "number")
NEEDED = {
    "name": gettext_lazy("a name"),
    "email": gettext_lazy("an email address"),
    "number": gettext_lazy("a phone number"),
}
FIELDSETS = (
    Fieldset(gettext_lazy("Contact details"), ("name", "email", ("countryCode", "number"), "organization")),
    Fieldset(gettext_lazy("More details"), (REST,)),
    Fieldset(gettext_lazy("Groups"), ("owner", "category", "tags", "newTag")),
)


class ContactPage(NamesOrganization, OwnedPage):
    """Shared parts of the pages of contacts: the company's fields, tags and categories."""

    module = "contact"
    menu = MenuItem(
        gettext_lazy("All contacts"),
        CONTACTS,
        10,
        "users",
        keywords=gettext_lazy("people customers persons subscribers"),
    )

    @cached_property
    def definitions(self) -> list[Values]:
        """The definitions of the contacts' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    @property
    def own_fields(self) -> list[Values]:
        """The company's own fields that people see, and the system fields that the pages do not place themselves."""
        fields = shown_fields(self.definitions, placed=SYSTEM)
        return [definition for definition in fields if definition["uniqueFieldID"] != self.company_key]

    @cached_property
    def company(self) -> Values | None:
        """The definition of the text field with the organization's name, for which the organization stands."""
        return company_definition(self.definitions)

    @property
    def company_key(self) -> str:
        return str(self.company["uniqueFieldID"]) if self.company else ""

    def company_text(self, contact: Values) -> str:
        """Return the name that a contact without an organization has as a text."""
        return "" if contact["organization"] else str(contact["formData"].get(self.company_key) or "")

    def organization_fields(self) -> list[Field]:
        fields = super().organization_fields()
        for field in fields:
            field.required = bool(self.company and self.company["required"])
        return fields

    def system_fields(self) -> list[Field]:
        """Return the fields of a contact's own values."""
        needed = self.required_names
        prefix = "countryCode" in needed and "number" not in needed  # a number may bring its own
        help = _("Not needed before a number that begins with +.")
        return [
            Field("name", _("Name"), required="name" in needed),
            Field("email", _("Email"), "email", required="email" in needed),
            Field("countryCode", _("Country code"), "tel", required=prefix, placeholder="+44", help_text=help),
            Field("number", _("Phone number"), "tel", required="number" in needed, placeholder="7400 123456"),
        ]

    @cached_property
    def required_names(self) -> set[str]:
        """The names of a contact's own values that the API asks for."""
        required_by_key = {
            definition["uniqueFieldID"]: definition["required"]
            for definition in self.definitions
            if definition["isSystem"]
        }
        return {name for name in SYSTEM if required_by_key.get(name, name != "name")}

    @property
    def needs(self) -> str:
        """Return the values that every contact needs, as text."""
        return get_text_list([label for name, label in NEEDED.items() if name in self.required_names], _("and"))

    def category_field(self) -> Field:
        return Field("category", _("Category"), "select", options=self.options_of("contact-category"))

    @cached_property
    def tag_options(self) -> list[Option]:
        return self.options_of("tag")

    def tags_field(self) -> Field:
        return Field("tags", _("Tags"), "checks", options=self.tag_options)

    def new_tag_fields(self) -> list[Field]:
        """Return the field of a tag that saving creates, for those who may create tags."""
        return [Field("newTag", _("New tag"), help_text=_("Created when you save."))] if self.may("tag", "POST") else []

    def post(self, request: HttpRequest) -> HttpResponse:
        """Run the form's action. A refused form leaves no new tag."""
        if not request.POST.get("newTag", "").strip():
            return super().post(request)
        with transaction.atomic():
            response = super().post(request)
            if response.status_code >= 400:
                transaction.set_rollback(True)
        return response

    def with_new_tag(self, form: Form, tags: list[str]) -> list[str]:
        """Return the ids of the tags and of the form's new one, which is created; a refusal becomes the form's."""
        name = str(form["newTag"].value() or "").strip() if "newTag" in form.fields else ""
        if not name:
            return tags
        known = {option.label.casefold(): option.value for option in self.tag_options}
        id = known.get(name.casefold())
        if id is None:
            answer = self.ask("POST", "tag", None, {"name": name})
            if not answer.ok:
                form.refuse(answer, lambda path: "newTag" if path == "name" else path)
                return tags
            id = str(answer.data["_id"])
            self.tag_options.append(Option(id, name))  # a second try finds it
        return list(dict.fromkeys([*tags, id]))

    def form(self, values: Values | None = None) -> Form:
        """Make the form of a contact: its system fields, the company's own, category and tags."""
        fields = [*self.system_fields(), *self.organization_fields()]
        fields += record_fields(self, self.own_fields, values)
        chosen = (self.owner_field(), self.category_field(), self.tags_field())
        fields += [field for field in chosen if field.options]
        fields += self.new_tag_fields()
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)


def chosen_tags(form: Form) -> list[str]:
    return list(form["tags"].value() or ()) if "tags" in form.fields else []


def body_of(values: Values) -> JsonObject:
    """Return the API's body for values of the form."""
    beside = {name: values[name] for name in ("tags", "category", "organization", "owner") if name in values}
    for name in {"category", "owner"} & beside.keys():
        beside[name] = beside[name] or None
    return {"formData": {name: value for name, value in values.items() if name not in (*beside, "newTag")}, **beside}


def linked_values(contact: Values) -> JsonObject:
    """Return a contact's references by the names of the form: ids, and the organization's name."""
    category = (contact["category"] or {}).get("_id", "")
    organization = (contact["organization"] or {}).get("name", "")
    tags = [tag["_id"] for tag in contact["tags"]]
    return {"category": category, "organization": organization, "owner": owner_of(contact), "tags": tags}
