"""The pages of duplicates: contacts that are probably the same, merges value by value, and merges to undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import PluralText, gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.field_values import field_values
from core.web.forms.record_forms import company_definition, fields_query, shown_fields
from core.web.lists import ListState
from core.web.navigation.places import CONTACTS, ORGANIZATIONS_MENU, MenuItem
from core.web.pages import Page, PageError

RULES = {
    "samePhone": gettext_lazy("The same phone number"),
    "sameEmail": gettext_lazy("The same email address"),
    "similarName": gettext_lazy("Similar name and company"),
}
ORGANIZATION_RULES = {"sameName": gettext_lazy("The same name"), "sameDomain": gettext_lazy("The same domain")}
ALIASES = gettext_lazy("Email addresses of the same mailbox")
"""The rule of equal addresses where they differ, as by what follows a plus."""
SIZE = 20
MIN_CONTACTS = 2
MAX_RECORDS = 20
BESIDE = (
    ("name", gettext_lazy("Name")),
    ("email", gettext_lazy("Email")),
    ("contactNumber", gettext_lazy("Phone")),
    ("organization", gettext_lazy("Organization")),
    ("category", gettext_lazy("Category")),
    ("owner", gettext_lazy("Owner")),
)
GOES_AS = {"contactNumber": ("countryCode", "number")}
"""A value of the table -> the names under which the API takes it, which go together."""


def with_title(record: Values) -> Values:
    """Return the record with the title by which people know it."""
    return {**record, "title": record["name"] or record.get("email") or ""}


class MergingPage(Page):
    module = "contact"
    resource: ClassVar[str] = "contact"
    panel: ClassVar[str] = "contact"
    back_page: ClassVar[str] = "duplicates"
    back_label: ClassVar[str] = gettext_lazy("Duplicates")
    back_hint: ClassVar[str] = gettext_lazy("All duplicates")
    record_page: ClassVar[str] = "contact"
    menu = MenuItem(
        gettext_lazy("Duplicates"), CONTACTS, 30, "copy", keywords=gettext_lazy("merge merged dedupe double")
    )

    @property
    def may_merge(self) -> bool:
        """Return whether the reader may merge, which changes one contact and deletes the others."""
        return all(self.may("contact", method) for method in ("POST", "PUT", "DELETE"))


class Duplicates(MergingPage):
    """Contacts that are probably the same, in groups."""

    path = "contacts/duplicates"
    name = "duplicates"
    title = gettext_lazy("Duplicates")
    template = "web/merging/duplicates.html"
    rules: ClassVar[Mapping[str, str]] = RULES
    merge_page: ClassVar[str] = "contact-merge"
    merges_page: ClassVar[str] = "merges"
    merges_label: ClassVar[str] = gettext_lazy("Merged contacts")
    dismissed: ClassVar[str] = gettext_lazy("Kept as separate contacts")
    further: ClassVar[str] = gettext_lazy("Search more contacts")
    none: ClassVar[str] = gettext_lazy("No contacts look alike.")

    def show(self) -> Values:
        rule = self.request.GET.get("rule", "")
        rule = rule if rule in self.rules else ""
        query = {"n": str(SIZE), "cursor": self.request.GET.get("cursor") or None, "rule": rule or None}
        answer = self.read(f"{self.resource}/duplicate", query)
        groups = [
            {
                **group,
                "words": self.words_of(group),
                "ids": [record["_id"] for record in group["records"]][:MAX_RECORDS],
            }
            for group in answer.data
        ]
        more = {"rule": rule} if rule else {}
        return {
            "groups": [{**group, "merge": self.address(self.merge_page, ids=group["ids"])} for group in groups],
            "rules": self.rules,
            "rule": rule,
            "more": self.address(cursor=answer.next_cursor, **more) if answer.next_cursor else "",
            "may_merge": self.may_merge,
        }

    def words_of(self, group: Values) -> str:
        """Return the reason for which the records of a group look alike."""
        if group["rule"] == "sameEmail" and len({record["email"].lower() for record in group["records"]}) > 1:
            return ALIASES
        return self.rules.get(group["rule"], "")

    def do_dismiss(self) -> HttpResponse:
        body = {"ids": self.request.POST.getlist("ids")}
        answer = self.ask("POST", f"{self.resource}/duplicate/dismiss", None, body)
        return self.redirect_with_toast(self.dismissed) if answer.ok else self.refuse(answer)


class MergeContacts(MergingPage):
    """A merge: which contact stays, and for each value from which of them it comes."""

    path = "contacts/merge"
    name = "contact-merge"
    title = gettext_lazy("Merge contacts")
    template = "web/merging/merge.html"
    beside: ClassVar[Sequence[tuple[str, str]]] = BESIDE
    """The (name, label) of the records' own values."""
    merges_at: ClassVar[str] = "merges"
    few: ClassVar[str] = gettext_lazy("Choose at least two contacts")
    how: ClassVar[str] = gettext_lazy("Select them in the list of contacts.")
    choice: ClassVar[str] = gettext_lazy("Select contacts in the list, or review duplicates.")
    locked: ClassVar[str] = gettext_lazy("You can't merge contacts")
    outcome: ClassVar[str] = gettext_lazy("One contact stays, with the chosen values, leads, messages, tags and notes.")
    button: ClassVar[PluralText] = ngettext_lazy("Merge %(count)s contact", "Merge %(count)s contacts")

    @cached_property
    def contacts(self) -> list[Values]:
        """The records that the address names, in its order."""
        ids = list(dict.fromkeys(self.request.GET.getlist("ids")))[:MAX_RECORDS]
        if len(ids) < MIN_CONTACTS:
            return []
        rows = self.read(self.resource, {"filters": {"_id": ids}, "p": "1", "n": str(MAX_RECORDS)}).data
        rows = [with_title(record) for record in rows]
        return sorted(rows, key=lambda record: ids.index(record["_id"]))

    @cached_property
    def definitions(self) -> list[Values]:
        """The company's own fields of the records, as far as the reader may see them."""
        answer = self.ask("GET", "custom-field", fields_query(self.panel)) if self.may("custom-field") else None
        return shown_fields(answer.data) if answer is not None and answer.ok else []

    @cached_property
    def company_key(self) -> str:
        """The key of the text field Company, which goes with the organization; empty without one."""
        has_organization = any(name == "organization" for name, _ in self.beside)
        definition = company_definition(self.definitions) if has_organization else None
        return definition["uniqueFieldID"] if definition else ""

    @cached_property
    def fields(self) -> list[tuple[str, str]]:
        """Return the (name, label) of the values that are chosen one by one."""
        own = ((definition["uniqueFieldID"], definition["name"]) for definition in self.definitions)
        return [*self.beside, *((key, name) for key, name in own if key != self.company_key)]

    def value(self, contact: Values, name: str) -> Any:
        if name == "organization":
            organization = contact["organization"]
            if organization and organization["isDeleted"]:
                return None  # a merge gives nobody a deleted one
            return organization["name"] if organization else contact["formData"].get(self.company_key)
        beside = [key for key, _ in self.beside]
        return contact[name] if name in beside else contact["formData"].get(name)

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the names under which the API takes a value of the table."""
        if name == "organization" and self.company_key:
            return ("organization", self.company_key)
        return GOES_AS.get(name, (name,))

    def show(self) -> Values:
        if len(self.contacts) < MIN_CONTACTS:
            return {"contacts": []}
        written = field_values(self, self.definitions, [record["formData"] for record in self.contacts])
        definitions = {record["uniqueFieldID"]: record for record in self.definitions}
        rows = []
        for name, label in self.fields:
            values = [self.value(record, name) for record in self.contacts]
            first = next((place for place, value in enumerate(values) if value not in (None, "", [])), None)
            if first is not None:
                cells = [
                    {
                        "id": record["_id"],
                        "value": written.block(definitions[name], value) if name in definitions else value,
                        "on": place == first,
                        "empty": value in (None, "", []),
                    }
                    for place, (record, value) in enumerate(zip(self.contacts, values, strict=True))
                ]
                differs = len({str(value) for value in values if value not in (None, "", [])}) > 1
                rows.append({"name": name, "words": label, "cells": cells, "differs": differs})
        label = self.button.of(len(self.contacts))
        return {"contacts": self.contacts, "rows": rows, "may_merge": self.may_merge, "merge_label": label}

    def do_merge(self) -> HttpResponse:
        sent = self.request.POST
        ids = [contact["_id"] for contact in self.contacts]
        if len(ids) < MIN_CONTACTS:
            raise PageError(400, self.few, self.how)
        choices = {
            part: sent[f"from-{name}"] for name, _ in self.fields if f"from-{name}" in sent for part in self.parts(name)
        }
        answer = self.ask(
            "POST", f"{self.resource}/merge", None, {"ids": ids, "winner": sent.get("winner"), "choices": choices}
        )
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(gettext("Merged. You can undo this for 30 days."), self.address(self.merges_at))


class Merges(MergingPage):
    """The merges, the newest first, with an action to undo them."""

    path = "contacts/merges"
    name = "merges"
    title = gettext_lazy("Merged contacts")
    template = "web/merging/merges.html"
    unmerged: ClassVar[str] = gettext_lazy("Contacts unmerged.")
    unmerged_but: ClassVar[str] = gettext_lazy("Contacts unmerged. Later changes are kept.")
    none: ClassVar[str] = gettext_lazy("No merged contacts yet")
    gone: ClassVar[str] = gettext_lazy("Deleted contact")

    def show(self) -> Values:
        state = ListState(self.request.GET)
        answer = self.read(f"{self.resource}/merge", {**state.query(), "sortBy": "createdAt", "sortOrder": "desc"})
        more = state.more(answer.next_cursor, len(answer.data))[0] if answer.next_cursor else ""
        merges = [{**record, "count": len(record["losers"]) + 1, "contact": {}} for record in answer.data]
        if merges:
            ids = [record["winner"] for record in merges]
            named = self.ask("GET", self.resource, {"filters": {"_id": ids}, "p": "1", "n": str(len(ids))})
            contacts = {record["_id"]: with_title(record) for record in named.data} if named.ok else {}
            merges = [{**record, "contact": contacts.get(record["winner"], {})} for record in merges]
        return {"merges": merges, "more": more, "may_undo": self.may_merge}

    def do_undo(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.resource}/merge/{self.sent_id()}/undo", None, {})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(self.unmerged_but if answer.data["kept"] else self.unmerged)


class OrganizationMerging(MergingPage):
    """Shared parts of the merges of organizations."""

    resource = "organization"
    panel = "organization"
    back_page = "organizations"
    back_label = gettext_lazy("Organizations")
    back_hint = gettext_lazy("All organizations")
    record_page = "organization"
    menu = ORGANIZATIONS_MENU


class OrganizationDuplicates(OrganizationMerging, Duplicates):
    """Organizations that are probably the same, in groups."""

    path = "merges/organizations/duplicates"
    name = "organization-duplicates"
    title = gettext_lazy("Duplicate organizations")
    rules = ORGANIZATION_RULES
    merge_page = "organization-merge"
    merges_page = "organization-merges"
    merges_label = gettext_lazy("Merged organizations")
    dismissed = gettext_lazy("Kept as separate organizations")
    none = gettext_lazy("No organizations look alike.")


class MergeOrganizations(OrganizationMerging, MergeContacts):
    path = "merges/organizations/new"
    name = "organization-merge"
    title = gettext_lazy("Merge organizations")
    beside = (("name", gettext_lazy("Name")), ("domain", gettext_lazy("Domain")), ("owner", gettext_lazy("Owner")))
    merges_at = "organization-merges"
    few = gettext_lazy("Choose at least two organizations")
    how = gettext_lazy("Select them in the list of organizations.")
    choice = gettext_lazy("Select organizations in the list, or review duplicates.")
    locked = gettext_lazy("You can't merge organizations")
    outcome = gettext_lazy("One organization stays, with the chosen values, contacts, leads and tags.")
    button = ngettext_lazy("Merge %(count)s organization", "Merge %(count)s organizations")


class OrganizationMerges(OrganizationMerging, Merges):
    path = "merges/organizations"
    name = "organization-merges"
    title = gettext_lazy("Merged organizations")
    unmerged = gettext_lazy("Organizations unmerged.")
    unmerged_but = gettext_lazy("Organizations unmerged. Later changes are kept.")
    none = gettext_lazy("No merged organizations yet")
    gone = gettext_lazy("Deleted organization")


PAGES = [Duplicates, MergeContacts, Merges, OrganizationDuplicates, MergeOrganizations, OrganizationMerges]
