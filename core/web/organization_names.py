"""A form's field that names an organization, with suggestions, and the page of these."""

from __future__ import annotations

from typing import Any

from core.text.translation import gettext_lazy as _
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.pages import Page
from core.web.tables import EditCell

FOUND = 8
MAX_FIND = 200
NAME = "organization"
SAME_NAME = " · "
"""Between the name and the domain of an organization whose name others have, too."""


class OrganizationField(Field):
    """A field with the name of an organization."""

    def __init__(self, page: Page, found: list[Values] | None = None) -> None:
        may_create = page.may("contact", "POST")
        super().__init__(
            NAME,
            str(_("Organization")),
            help_text=str(_("New names are added.")) if may_create else "",
            options=[Option(text, "") for text in shown_names(found or [])],
        )
        self.template_name = "web/parts/organization_field.html"
        self.place = page.address("organization-names")


class NamesOrganization(Page):
    """Shared parts of pages with a form that names an organization."""

    def organization_fields(self) -> list[Field]:
        """Return the field, if the reader may see organizations."""
        return [OrganizationField(self)] if self.may("contact") else []

    def organization_of(self, form: Form, text: Any, held: Values | None = None) -> str | None:
        """Return the id of the organization that the form names, None for none.

        A new name becomes an organization, if the reader may create contacts. `held` is the record's present one, which
        keeps its place where others have its name. Refusals are added to the form.
        """
        name = " ".join(str(text or "").split())
        if not name:
            return None
        if held and held["name"] == name:
            return str(held["_id"])
        same = [row for row in find(self, name) if name in (row["name"], display_name(row))]
        same = same or [row for row in find(self, name) if row["name"].casefold() == name.casefold()]
        # Equal ones cannot be told apart in the list: the oldest is taken, as imports take it.
        matches = [row for row in same if display_name(row) == name] or same
        if len({display_name(row) for row in matches}) == 1:
            return str(min(row["_id"] for row in matches))
        if same:
            form.add_error(NAME, str(_("Several organizations have this name. Choose one from the list.")))
            return None
        if not self.may("contact", "POST"):
            form.add_error(NAME, str(_("No organization has this name.")))
            return None
        answer = self.ask("POST", "organization", None, {"formData": {"name": name}, "reuse": True})
        if answer.ok:
            return str(answer.data["_id"])
        form.refuse(answer, lambda path: NAME)
        return None


class OrganizationCell(NamesOrganization, EditCell):
    """A cell of a table whose rows may have an organization."""

    def cell_body(self, form: Form, values: Values) -> JsonObject:
        if "organization" not in values:
            return self.body(values)
        organization = self.record["organization"]
        return self.body({"organization": self.organization_of(form, values["organization"], organization)})


def find(page: Page, text: str) -> list[Values]:
    """Return organizations whose name or domain has the text, those first that begin with it."""
    name = text.partition(SAME_NAME)[0].strip()
    query = {"searchValue": name[:MAX_FIND], "searchBy": "name,domain", "p": "1", "n": str(3 * FOUND)}
    answer = page.ask("GET", "organization", {**query, "fields": "name,domain"})
    rows = answer.data if answer.ok else []
    return sorted(rows, key=lambda row: not row["name"].casefold().startswith(name.casefold()))


def display_name(row: Values) -> str:
    """Return the name with the domain, if there is one."""
    return f"{row['name']}{SAME_NAME}{row['domain']}" if row["domain"] else str(row["name"])


def shown_names(rows: list[Values]) -> list[str]:
    """Return the names of organizations; equal ones have their domains."""
    names = [row["name"] for row in rows]
    return list(dict.fromkeys(display_name(row) if names.count(row["name"]) > 1 else row["name"] for row in rows))


class OrganizationNames(Page):
    """The suggestions for the name of an organization: a part of forms."""

    path = "organizations/names"
    name = "organization-names"
    title = _("Find an organization")
    template = "web/organizations/names.html"
    module = "contact"

    def show(self) -> Values:
        text = " ".join(self.request.GET.get(NAME, "").split())
        field = OrganizationField(self, find(self, text)[:FOUND] if text else [])
        field.initial = text
        return {"form": Form(fields=[field])}


PAGES = [OrganizationNames]
