"""The timeline of a contact: its creation, and the activities that name it, newest first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from core.lists import ListField
from core.lists.keyset import SortKey, sections
from crm.activities.models import LeadActivity
from crm.contacts.kind import CONTACT
from crm.imports.models import Import
from crm.records.models import CustomField
from crm.timeline.titles import title_of

Kind = LeadActivity.Kind
HAPPENED_AT = SortKey(ListField("at", "date", "happened_at", nullable=False), descending=True)
MEMBER = ("_id", "__name", "__email")
COLUMNS = ("pk", "kind", "lead_id", "happened_at", "details", "notes", *(f"member{part}" for part in MEMBER))
MODULES = {
    Kind.NOTE: "lead-activity",
    Kind.CALL: "lead-activity",
    Kind.FOLLOW_UP: "lead-activity",
    Kind.MEETING: "meeting",
    Kind.MAIL: "logs",
}
"""Kind of activity -> the permission module that it takes to read; the others are of the contact, or of its lead."""


class Place(NamedTuple):
    """The place of an entry in a timeline."""

    at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of a timeline, and the place where the next one starts; `total` counts the whole timeline."""

    entries: list[dict[str, Any]]
    next: Place | None
    total: int


def read_timeline(
    *,
    contact_id: str,
    may_read: Collection[str],
    size: int,
    kinds: Collection[str] = (),
    after: Place | None = None,
    total: int | None = None,
) -> Timeline:
    """Read the entries of a live contact that the modules in `may_read` open, of all kinds or the given ones.

    The activities are read by one statement, from the index of the contact. `total` is known after the first page.
    Raises ContactNotFound_400.
    """
    made = _creation(contact_id)
    rows = LeadActivity.objects.filter(_readable(may_read), contact_id=contact_id)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    shows_creation = not kinds or made["kind"] in kinds
    if total is None:
        total = rows.order_by().count() + shows_creation
    (section,) = sections(rows, (HAPPENED_AT,), None if after is None else list(after))
    found = [dict(row) for row in section.queryset.values(*COLUMNS)[: size + 1]]
    if shows_creation and (after is None or _place(made) < after):
        found = sorted([*found, made], key=_place, reverse=True)
    page = found[:size]
    further = _place(page[-1]) if len(found) > size else None
    return Timeline(_entries(page), further, total)


def _readable(modules: Collection[str]) -> Q:
    """Match the activities that the modules open."""
    where = Q(pk__in=[])
    own = Q(lead__isnull=False) if "lead" in modules else Q(pk__in=[])
    where |= ~Q(kind__in=list(MODULES)) & (Q(lead__isnull=True) | own)
    readable = [kind for kind, module in MODULES.items() if module in modules]
    return where | Q(kind__in=readable)


def _creation(contact_id: str) -> dict[str, Any]:
    """Return the contact's creation in the form of an activity, which new contacts don't have."""
    columns = ("pk", "created_at", "import_job_id", *(f"created_by{part}" for part in MEMBER))
    row = CONTACT.live().filter(pk=contact_id).values(*columns).first()
    if row is None:
        raise CONTACT.missing("id", contact_id)
    job = row["import_job_id"]
    return {
        "pk": row["pk"],
        "kind": Kind.IMPORTED if job else Kind.CREATED,
        "lead_id": None,
        "happened_at": row["created_at"],
        "details": {"import": job} if job else {},
        "notes": "",
        **{f"member{part}": row[f"created_by{part}"] for part in MEMBER},
    }


def _place(row: Mapping[str, Any]) -> Place:
    return Place(row["happened_at"], row["pk"])


def _entries(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as the API shows them, with the names that their titles need."""
    files, names = _file_names(rows), _field_names(rows)
    entries = []
    for row in rows:
        data = dict(row["details"])
        if row["kind"] == Kind.IMPORTED:
            data["fileName"] = files.get(data.get("import"))
        if row["notes"]:
            data["notes"] = row["notes"]
        actor = {"_id": row["member_id"], "name": row["member__name"], "email": row["member__email"]}
        entries.append(
            {
                "_id": row["pk"],
                "kind": row["kind"],
                "at": row["happened_at"],
                "actor": actor if row["member_id"] else None,
                "lead": row["lead_id"],
                "title": title_of(row["kind"], data, names, of_lead=row["lead_id"] is not None),
                "data": data,
            }
        )
    return entries


def _file_names(rows: list[dict[str, Any]]) -> dict[str | None, str]:
    """Return import -> the name of its file, of the imports in the rows."""
    ids = {row["details"]["import"] for row in rows if row["details"].get("import")}
    return dict(Import.objects.filter(pk__in=ids).values_list("pk", "file__name")) if ids else {}


def _field_names(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return uniqueFieldID -> the name of the field, of the fields that changed in the rows."""
    keys = {key for row in rows for key in (row["details"].get("changes") or row["details"])}
    found: QuerySet[CustomField] = CustomField.objects.filter(panel__in=("contact", "lead"), unique_field_id__in=keys)
    return dict(found.values_list("unique_field_id", "name")) if keys else {}
