"""A form's field that picks a contact by a search, and the page of its suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.folding import fold
from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.forms import Field, Form
from core.web.forms.record_forms import fields_query, shown_fields
from core.web.pages import PART, Page
from core.web.prefills import find_named_record

FOUND = 8
"""Contacts that a search shows."""
READ = 3 * FOUND
"""Contacts from which these are chosen."""
MAX_FIND = 200
SEARCHED = ("name", "email", "contactNumber")
"""Fields of every contact that the search reads."""
COMPANY_NAMES = frozenset(
    fold(name)
    for name in (
        *("company", "company name", "firm", "firma", "organization", "organisation", "employer"),
        *("unternehmen", "société", "entreprise", "empresa", "azienda", "bedrijf"),
    )
)
"""Names of a company's own fields that hold the contact's employer, which the search reads as well."""


@dataclass(frozen=True)
class Person:
    """A contact as suggestions show it."""

    id: str
    name: str
    note: str
    """The email address or phone number, and the employer."""


class ContactField(Field):
    """A field that holds the id of a contact, which people find by a search."""

    find_hint = _("Name, email, phone or company")
    found_label = _("Contacts")
    nothing = _("No contacts match.")
    sends_empty = False
    """Forms send an empty value for none, since the record has one that may be removed."""

    def __init__(self, name: str = "contact", label: str = "", **options: Any) -> None:
        super().__init__(name, label or str(_("Contact")), **options)
        self.template_name = "web/parts/contact_picker.html"
        self.picked: Person | None = None
        self.place = ""
        """The address of the suggestions."""
        self.is_part = False
        """Suggestions are options of the search, since a script asked; else each is a box to tick."""
        self.find = ""
        self.people: list[Person] = []


class PicksContact(Page):
    """Shared parts of pages with a form that picks a contact; `form()` is the form."""

    def form(self) -> Form:
        raise NotImplementedError

    def with_form(self, form: Form, status: int = 200) -> HttpResponse:
        """Show the page with the form."""
        raise NotImplementedError

    def contact_field(self, help_text: str = "") -> ContactField | None:
        """Return the field, or None if the reader may not see contacts.

        It shows the contact that the form sent or that the address names, and what the form searched for.
        """
        if not self.may("contact"):
            return None
        field = ContactField(help_text=help_text)
        fill(self, field, {**self.request.GET.dict(), **self.request.POST.dict()})
        return field

    def do_find(self) -> HttpResponse:
        """Show the form as it is, with the contacts that its search finds."""
        return self.with_form(self.form().bind(self.request.POST))

    def do_unpick(self) -> HttpResponse:
        """Show the form as it is, without the contact."""
        post = self.request.POST.copy()
        post["contact"] = ""
        self.request.POST = post  # type: ignore[assignment]
        return self.do_find()


def fill(page: Page, field: ContactField, sent: Mapping[str, str]) -> None:
    """Fill the field by what a form or an address has: the contact's id, or the text of a search."""
    id = sent.get("contact", "")
    field.place = page.address("contact-pick")
    field.is_part = page.frame == PART
    field.find = " ".join(sent.get("find", "").split())[:MAX_FIND]
    contact = find_named_record(page, "contact", id, gettext("This contact no longer exists. Pick another."))
    if contact is None and not field.find:
        return
    employer = _employer_fields(page)
    if contact is not None:
        field.picked = _person(contact, employer)
        field.initial = id
        return
    query = {"searchValue": field.find, "searchBy": ",".join((*SEARCHED, *employer)), "p": "1", "n": str(READ)}
    answer = page.ask("GET", "contact", query)
    people = [_person(contact, employer) for contact in (answer.data if answer.ok else ())]
    # People begin with a name: a text within an address comes last.
    field.people = sorted(people, key=lambda person: not _begins(person.name, field.find))[:FOUND]


def _begins(name: str, find: str) -> bool:
    """Return whether a word of the name begins with the text."""
    return f" {fold(find)}" in f" {fold(name)}"


def _employer_fields(page: Page) -> list[str]:
    """Return the ids of the fields that hold the contact's employer."""
    answer = page.ask("GET", "custom-field", fields_query("contact")) if page.may("custom-field") else None
    definitions = shown_fields(answer.data) if answer is not None and answer.ok else []
    return [
        definition["uniqueFieldID"]
        for definition in definitions
        if definition["fieldType"] == "text" and fold(definition["name"]) in COMPANY_NAMES
    ]


def _person(contact: Values, employer: list[str]) -> Person:
    reach = contact["email"] or contact["contactNumber"] or ""
    values = contact["formData"]
    notes = [reach if contact["name"] else "", *(str(values.get(name) or "") for name in employer)]
    return Person(contact["_id"], contact["name"] or reach or str(_("No name")), " · ".join(filter(None, notes)))


class PickContact(Page):
    """The suggestions of a search for a contact, or the picked one: a part of forms."""

    path = "contacts/pick"
    name = "contact-pick"
    title = _("Find a contact")
    template = "web/contacts/pick.html"
    module = "contact"

    def show(self) -> Values:
        field = ContactField()
        fill(self, field, self.request.GET.dict())
        return {"form": Form(fields=[field])}


PAGES = [PickContact]
