"""Shared parts of the pages of imports: labels, and the base page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from core.text.labels.counts import ROWS
from core.text.translation import PluralText, gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms.record_forms import company_definition, fields_query
from core.web.navigation.places import CONTACTS as CONTACTS_PLACE
from core.web.navigation.places import LEADS as LEADS_PLACE
from core.web.navigation.places import SETTINGS, MenuItem, Place
from core.web.pages import Page, PageError
from core.web.words.problems import capitalize_text
from crm.imports.pages.requirements import EMAIL, NUMBER, Requirement
from crm.imports.pages.targets import CONTACT_TARGETS, LEAD_TARGETS, ORGANIZATION_TARGETS

HINTS = {
    "ContactCategoryNotFound_400": gettext_lazy("Enter the name of an existing category."),
    "ProductServiceNotFound_400": gettext_lazy("Enter names of existing products, separated by commas."),
    "TeamNotFound_400": gettext_lazy("Enter the name of an existing team."),
    "MemberNotAccepted_400": gettext_lazy("Enter the email address of a member."),
}
"""Code of a problem whose text has no advice -> advice."""
TAKEN = ("ContactAlreadyExists_400", "OrganizationAlreadyExists_400", "DuplicateField_400")
"""Codes of rows whose record exists."""
STATES = {
    "queued": (gettext_lazy("Waiting"), "none"),
    "running": (gettext_lazy("Importing"), "info"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "failed": (gettext_lazy("Stopped"), "bad"),
    "cancelled": (gettext_lazy("Cancelled"), "none"),
}
"""Status -> its word and tone."""
OPEN = ("paused", "failed")
"""The statuses of an import that may still be changed."""
MOVING, OVER = ("queued", "running"), ("completed", "cancelled")
QUOTED = 12
"""A problem that begins with so many characters of the cell quotes it, and does not change its first letter."""
MAPPING_TEXTS = {
    "noColumn": gettext_lazy("The file has no column “%(column)s”."),
    "noField": gettext_lazy("Choose another field for the column “%(column)s”."),
    "usedTwice": gettext_lazy("Two columns go to “%(target)s”. Leave one out."),
    "noNumber": gettext_lazy("Choose the column of the phone numbers too."),
    "nameTwice": gettext_lazy("Choose the full name, or first and last name."),
    "noNewFields": gettext_lazy("Your role can't create fields. Leave out the column “%(column)s”."),
    "noneMapped": gettext_lazy("Choose a field for at least one column."),
}
"""Code of a refused mapping of columns -> its text for people."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The records that a file holds."""

    name: str
    """The type of the import, which is the panel of its fields."""
    module: str
    label: str
    import_label: str
    import_count: PluralText
    list_label: str
    targets: Mapping[str, str]
    page: str
    """The name of the page that lists them."""
    imports: str
    """The name of the page that lists their imports."""
    place: Place
    """The place of the navigation that they belong to."""

    @property
    def path(self) -> str:
        return f"{self.name}/import"


CONTACTS = Kind(
    name="contact",
    module="contact",
    label=gettext_lazy("Contact"),
    import_label=gettext_lazy("Import contacts"),
    import_count=ngettext_lazy("Import %(count)s contact", "Import %(count)s contacts"),
    list_label=gettext_lazy("Show contacts"),
    targets=CONTACT_TARGETS,
    page="contacts",
    imports="imports",
    place=CONTACTS_PLACE,
)
LEADS = Kind(
    name="lead",
    module="lead",
    label=gettext_lazy("Lead"),
    import_label=gettext_lazy("Import leads"),
    import_count=ngettext_lazy("Import %(count)s lead", "Import %(count)s leads"),
    list_label=gettext_lazy("Show leads"),
    targets=LEAD_TARGETS,
    page="leads",
    imports="lead-imports",
    place=LEADS_PLACE,
)
ORGANIZATIONS = Kind(
    name="organization",
    module="contact",
    label=gettext_lazy("Organization"),
    import_label=gettext_lazy("Import organizations"),
    import_count=ngettext_lazy("Import %(count)s organization", "Import %(count)s organizations"),
    list_label=gettext_lazy("Show organizations"),
    targets=ORGANIZATION_TARGETS,
    page="organizations",
    imports="organization-imports",
    place=CONTACTS_PLACE,
)
IMPORT_KINDS = (CONTACTS, LEADS, ORGANIZATIONS)


CREATED = ngettext_lazy("%(count)s created", "%(count)s created")
UPDATED = ngettext_lazy("%(count)s updated", "%(count)s updated")
SKIPPED = ngettext_lazy("%(count)s duplicate skipped", "%(count)s duplicates skipped")
REFUSED = ngettext_lazy("%(count)s refused", "%(count)s refused")
NOT_RECORDS = ngettext_lazy("%(count)s not a record", "%(count)s not records")


def lasting(seconds: int) -> str:
    """Write a time that something still takes."""
    if seconds < 100:
        return _("about %(max)s s") % {"max": max(seconds, 1)}
    return (
        _("about %(seconds)s min") % {"seconds": seconds // 60}
        if seconds < 7200
        else _("about %(seconds)s h") % {"seconds": seconds // 3600}
    )


def shown_import(job: Values, kind: Kind) -> JsonObject:
    """Return the import with the texts of the pages."""
    word, tone = STATES[job["status"]]
    started = bool(job["processed"] or job["startedAt"])
    if job["status"] == "paused" and not started:
        word = _("Not started")
    if job["status"] == "queued" and job["total"] is None:
        word = _("Reading the file")
    if job["isUndone"]:
        word, tone = _("Undone"), "none"
    name = (job["file"] or {}).get("name") or _("Deleted file")
    return {
        **job,
        "name": name,
        "word": word,
        "tone": tone,
        "started": started,
        "moving": job["status"] in MOVING,
        "over": job["status"] in OVER,
        "left": lasting(job["eta"]) if job["eta"] is not None else "",
        "outcome": outcome(job),
    }


def outcome(job: Values, no_records: int = 0) -> str:
    """Return the summary of the rows; `no_records` of those that failed are titles, totals and footers."""
    counts = (
        (CREATED, job["created"]),
        (UPDATED, job["updated"]),
        (SKIPPED, job["skipped"]),
        (REFUSED, job["failed"] - no_records),
        (NOT_RECORDS, no_records),
    )
    return results(job["processed"], counts)


def results(rows: int, counts: Iterable[tuple[PluralText, int]]) -> str:
    """Return the results of rows as a line, such as "4 rows: 2 created, 2 refused."."""
    written = ", ".join(text.of(number) for text, number in counts if number > 0)
    return _("%(rows)s: %(results)s.") % {"rows": ROWS.of(rows), "results": written or _("nothing to import")}


def shown_problem(
    problem: Values,
    job: Values,
    *,
    gone: str = gettext_lazy("The record was deleted."),
    optional: Collection[str] = (),
) -> JsonObject:
    """Return a row's problem for people: the row's value, and the correct form.

    `gone` is the text for a conflicting record that has no page (any more), `optional` the fields that may stay empty.
    """
    text = problem["message"]
    headers = job["headers"]
    values = ["" if value is None else str(value) for value in problem["values"]]
    place = headers.index(problem["column"]) if problem["column"] in headers else -1
    value = values[place] if 0 <= place < len(values) else ""
    key = job["columnMapping"].get(problem["column"], "")
    exists = problem["code"] in TAKEN
    hint = HINTS.get(problem["code"], "")
    if exists and not problem["existingId"]:
        hint = gone
    elif key in optional and problem["failed"] and not exists:
        hint = (_("%(hint)s Or leave it empty.") % {"hint": hint}).strip()
    quotes = bool(value) and text.startswith(value[:QUOTED])
    return {
        **problem,
        "text": sentence(text, capital=not quotes),
        "hint": hint,
        "value": value,
        "line": " · ".join(value for value in values if value),
    }


def sentence(text: str, *, capital: bool = True) -> str:
    text = text.strip()
    text = capitalize_text(text) if capital else text
    return text + ("" if not text or text.endswith((".", "!", "?")) else ".")


class ImportPage(Page):
    """Shared parts of the pages of imports."""

    module = "contact"
    menu = MenuItem(
        gettext_lazy("Imports"),
        SETTINGS,
        40,
        "upload",
        gettext_lazy("Data"),
        gettext_lazy("import upload csv excel spreadsheet"),
    )
    alternate_modules: ClassVar[tuple[str, ...]] = ("lead",)

    @cached_property
    def found(self) -> tuple[Kind, Values]:
        """The import that the address names, of whatever records."""
        for kind in IMPORT_KINDS:
            answer = self.ask("GET", f"{kind.path}/{self.params['id']}") if self.may(kind.module) else None
            if answer is not None and answer.ok:
                self.menu_place = kind.place
                return kind, answer.data
        raise PageError(404, _("Page not found"), _("The page may have been deleted, or the link is incomplete."))

    @property
    def kind(self) -> Kind:
        return self.found[0]

    @cached_property
    def job(self) -> JsonObject:
        return shown_import(self.found[1], self.kind)

    @property
    def resource(self) -> str:
        """The import's path in the API."""
        return f"{self.kind.path}/{self.job['_id']}"

    def step(self, name: str, **query: Any) -> str:
        """Return the address of another page of this import."""
        return self.address(name, self.params["id"], **query)

    def shared_context(self) -> JsonObject:
        """Return the shared data of the steps' templates."""
        return {
            "job": self.job,
            "kind": self.kind,
            "can_change": self.may(self.kind.module, "PUT"),
            "all_imports": self.address(self.kind.imports),
        }

    def labels(self) -> dict[str, str]:
        """Return target -> its label: the system's, and the company's own fields."""
        return {**self.kind.targets, **self.targets, **dict(self.custom)}

    @property
    def targets(self) -> dict[str, str]:
        """Return the targets of a column. The text field of a contact's company stands for the organization too."""
        return {self.target_of(key): label for key, label in self.kind.targets.items()}

    @cached_property
    def company_key(self) -> str:
        """The key of the text field with the organization's name, from which an import finds or creates that."""
        company = company_definition(self.definitions) if self.kind is CONTACTS else None
        return str(company["uniqueFieldID"]) if company else ""

    def target_of(self, key: str) -> str:
        """Return the target of a column, which the page shows for it."""
        return self.company_key if key == "organization" and self.company_key else key

    @cached_property
    def definitions(self) -> list[Values]:
        """The fields of the records, system fields too."""
        answer = self.ask("GET", "custom-field", fields_query(self.kind.name)) if self.may("custom-field") else None
        return list(answer.data) if answer is not None and answer.ok else []

    @property
    def custom(self) -> list[tuple[str, str]]:
        """The (key, name) of the company's own fields."""
        fields = [(field["uniqueFieldID"], field["name"]) for field in self.own_fields]
        return [(key, name) for key, name in fields if key != self.company_key]

    @property
    def own_fields(self) -> list[Values]:
        """The company's own fields, and the system fields that are no targets of their own."""
        targets = self.kind.targets
        return [field for field in self.definitions if not (field["isSystem"] and field["uniqueFieldID"] in targets)]

    def optional_keys(self, problems: Iterable[Values]) -> set[str]:
        """Return the fields that may stay empty, if a column of these problems goes to a field."""
        mapping = self.job["columnMapping"]
        if not any(row["failed"] and row["column"] in mapping for row in problems):
            return set()
        fields = {row["uniqueFieldID"]: row["required"] for row in (*self.contact_fields, *self.definitions)}
        return {key for key, required in fields.items() if not required}

    def lacking(self, mapping: Mapping[str, str]) -> list[Requirement]:
        """Return the values that every contact needs and no column has."""
        if self.kind is not CONTACTS:
            return []
        required = {field["uniqueFieldID"] for field in self.contact_fields if field["required"]}
        targets = set(mapping.values())
        missing = []
        if required & {"number", "countryCode"} and "number" not in targets:
            missing.append(NUMBER)
        if "email" in required and "email" not in targets:
            missing.append(EMAIL)
        return missing

    @cached_property
    def contact_fields(self) -> list[Values]:
        """The system fields of contacts."""
        if self.kind is CONTACTS:
            return [field for field in self.definitions if field["isSystem"]]
        answer = self.ask("GET", "custom-field", fields_query(CONTACTS.name)) if self.may("custom-field") else None
        return [field for field in answer.data if field["isSystem"]] if answer is not None and answer.ok else []

    def optional(self, keys: Sequence[str]) -> Answer:
        """Make these system fields of contacts optional."""
        fields = [field for field in self.contact_fields if field["uniqueFieldID"] in keys]
        changes = [{"_id": field["_id"], "required": False} for field in fields]
        answer = self.ask("PUT", "custom-field/modify", None, {"fields": changes})
        for name in ("definitions", "contact_fields"):
            self.__dict__.pop(name, None)
        return answer

    def reason(self, answer: Answer) -> str:
        """Return the text of a refusal for people."""
        labels = self.labels()
        if answer.code == "missingColumns":
            needed = [target for target in answer.params["targets"] if target != "countryCode"]  # part of the number
            names = [
                get_text_list([labels.get(key, key) for key in target.split(" or ")], _("or")) for target in needed
            ]
            return _("Choose a column for %(names)s: all records need a value.") % {"names": ", ".join(names)}
        target = answer.params.get("target", "")
        texts = {**answer.params, "target": labels.get(target, target)}
        return str(MAPPING_TEXTS[answer.code]) % texts if answer.code in MAPPING_TEXTS else answer.reason

    def move(self, body: Values, text: str) -> HttpResponse:
        """Change the import, and lead to it."""
        answer = self.ask("PUT", self.resource, None, body)
        return (
            self.redirect_with_toast(text, self.step("import"))
            if answer.ok
            else self.refuse(answer, self.step("import"))
        )
