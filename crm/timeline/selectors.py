"""The timelines of a contact or an organization, which begin with their creation, and of a lead: the activities that
name them, newest first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from core.hooks import Hook
from core.lists import ListField
from core.lists.keyset import SortKey, section_querysets
from core.types import JsonObject, Values
from crm.activities.models import LeadActivity
from crm.activities.rights import readable_condition
from crm.activities.tasks import live_tasks
from crm.comments.models import Comment
from crm.comments.selectors import mention_columns
from crm.contacts.kind import CONTACT
from crm.imports.models import Import
from crm.leads.kind import LEAD
from crm.organizations.kind import ORGANIZATION
from crm.records.kinds import RecordKind
from crm.timeline.changes import References, changes_of, known_in, panel_of, shown_changes
from crm.timeline.titles import title_of

Kind = LeadActivity.Kind
mail_texts: Hook[[Mapping[str, str]], Mapping[str, Values]] = Hook(
    __name__,
    "mail_texts",
    "When a timeline shows mails. Gets the id of each message -> sent or replied. Returns the words of each by its id:"
    " text, and quoted, what a reply repeats.",
)
MAILS_WITH_WORDS = ("sent", "replied")
"""Events of mails whose words stand in the timeline."""
HAPPENED_AT = SortKey(ListField("at", "date", "happened_at", nullable=False), descending=True)
MEMBER = ("_id", "__name", "__email")
COLUMNS = (
    "pk",
    "kind",
    "lead_id",
    "contact_id",
    "contact__name",
    "contact__email",
    "organization_id",
    "happened_at",
    "details",
    "workflow",
    "notes",
    *(f"member{part}" for part in MEMBER),
)


class Place(NamedTuple):
    """The place of an entry in a timeline."""

    at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of a timeline, and the place where the next one starts; `total` counts the whole timeline."""

    entries: list[JsonObject]
    next: Place | None
    total: int


def read_timeline(
    *,
    contact_id: str = "",
    lead_id: str = "",
    organization_id: str = "",
    may_read: Collection[str],
    size: int,
    kinds: Collection[str] = (),
    after: Place | None = None,
    total: int | None = None,
) -> Timeline:
    """Read the entries of a live contact, lead or organization that the modules in `may_read` open, of all kinds or the
    given ones.

    The activities are read by one statement, from the index of the contact or of the lead. Those of an organization are
    its own, its people's and those of its other leads. `total` is known after the first page. Raises
    ContactNotFound_400, LeadNotFound_400 and OrganizationNotFound_400.
    """
    if lead_id:
        creation = None
        if not LEAD.live().filter(pk=lead_id).exists():
            raise LEAD.missing("id", lead_id)
    else:
        creation = _creation(CONTACT, contact_id) if contact_id else _creation(ORGANIZATION, organization_id)
    readable_rows = LeadActivity.objects.filter(readable_condition(may_read))
    if kinds:
        readable_rows = readable_rows.filter(kind__in=kinds)
    if organization_id:
        sources = _of_organization(readable_rows, organization_id)
    else:
        sources = [readable_rows.filter(**({"contact_id": contact_id} if contact_id else {"lead_id": lead_id}))]
    shows_creation = creation is not None and (not kinds or creation["kind"] in kinds)
    if total is None:
        total = _together([rows.order_by().values("pk") for rows in sources]).count() + shows_creation
    entries = [dict(row) for row in _together([_page(rows, after, size + 1) for rows in sources])]
    if creation is not None and shows_creation and (after is None or _place(creation) < after):
        entries.append(creation)
    entries.sort(key=_place, reverse=True)
    page = entries[:size]
    further = _place(page[-1]) if len(entries) > size else None
    return Timeline(_entries(page), further, total)


def _of_organization(rows: QuerySet[LeadActivity], id: str) -> list[QuerySet[LeadActivity]]:
    """Return the organization's own activities, those of its people, and those of its leads with other people."""
    people = CONTACT.live().filter(organization_id=id).values("pk")
    leads = LEAD.live().filter(organization_id=id).values("pk")
    return [
        rows.filter(organization_id=id),
        rows.filter(contact_id__in=people),
        rows.filter(lead_id__in=leads).exclude(contact__organization_id=id, contact__is_deleted=False),
    ]


def _page(rows: QuerySet[LeadActivity], after: Place | None, size: int) -> QuerySet[LeadActivity, JsonObject]:
    (section,) = section_querysets(rows, (HAPPENED_AT,), None if after is None else list(after))
    return section.queryset.values(*COLUMNS)[:size]


def _together(sources: Sequence[QuerySet[LeadActivity, Any]]) -> QuerySet[LeadActivity, Any]:
    """Return the rows of all sources, which have none in common, by one statement."""
    first, *others = sources
    return first.union(*others, all=True) if others else first


def _creation(kind: RecordKind, id: str) -> JsonObject:
    """Return the record's creation in the form of an activity, which new contacts and organizations don't have."""
    columns = ("pk", "created_at", "import_job_id", *(f"created_by{part}" for part in MEMBER))
    row = kind.live().filter(pk=id).values(*columns).first()
    if row is None:
        raise kind.missing("id", id)
    job = row["import_job_id"]
    return {
        "pk": row["pk"],
        "kind": Kind.IMPORTED if job else Kind.CREATED,
        "lead_id": None,
        "contact_id": None,
        "contact__name": None,
        "contact__email": None,
        "organization_id": row["pk"] if kind is ORGANIZATION else None,
        "happened_at": row["created_at"],
        "details": {"import": job} if job else {},
        "workflow": None,
        "notes": "",
        **{f"member{part}": row[f"created_by{part}"] for part in MEMBER},
    }


def _place(row: Values) -> Place:
    return Place(row["happened_at"], row["pk"])


def _entries(rows: list[JsonObject]) -> list[JsonObject]:
    """Return the rows as the API shows them, with the names that their titles need."""
    files = _file_names(rows)
    lookup = known_in(rows)
    words = _mail_words(rows)
    comments = _comments(rows)
    open_tasks = _open_tasks(rows)
    entries = []
    for row in rows:
        data = dict(row["details"])
        changes = shown_changes(row, lookup)
        names = {key: lookup.name(panel_of(row), key) for key in changes_of(row)}
        if row["kind"] == Kind.IMPORTED:
            data["fileName"] = files.get(data.get("import"))
        if row["kind"] == Kind.MAIL:
            data |= words.get(data.get("message", ""), {})
        if row["kind"] == Kind.COMMENT:
            data |= comments.get(row["pk"], {})
        if row["kind"] == Kind.FOLLOW_UP:
            data["isOpen"] = _task_of(row) in open_tasks
        if row["notes"]:
            data["notes"] = row["notes"]
        changes_by_field = {change["field"]: change for change in changes}
        title_values = changes_by_field if row["kind"] == Kind.STATUS else _visible(data, lookup, panel_of(row))
        actor = {"_id": row["member_id"], "name": row["member__name"], "email": row["member__email"]}
        entries.append(
            {
                "_id": row["pk"],
                "kind": row["kind"],
                "at": row["happened_at"],
                "actor": actor if row["member_id"] else None,
                "workflow": row["workflow"],
                "lead": row["lead_id"],
                "contact": _person(row),
                "title": title_of(row["kind"], title_values, names, panel=panel_of(row)),
                "changes": changes,
                "data": data,
            }
        )
    return entries


def _person(row: Values) -> JsonObject | None:
    """Return the contact of an activity."""
    contact_id = row["contact_id"]
    return {"_id": contact_id, "name": row["contact__name"] or row["contact__email"] or ""} if contact_id else None


def _visible(data: JsonObject, lookup: References, panel: str) -> JsonObject:
    """Return the data without changes of hidden fields, which titles do not name."""
    visible = {key: value for key, value in data.items() if not lookup.is_hidden(panel, key)}
    if "changes" in visible:
        visible["changes"] = {
            key: change for key, change in visible["changes"].items() if not lookup.is_hidden(panel, key)
        }
    return visible


def _file_names(rows: list[JsonObject]) -> dict[str | None, str]:
    """Return import -> the name of its file, of the imports in the rows."""
    ids = {row["details"]["import"] for row in rows if row["details"].get("import")}
    return dict(Import.objects.filter(pk__in=ids).values_list("pk", "file__name")) if ids else {}


def _task_of(row: Values) -> str | None:
    """Return the id of an activity's task."""
    details = row["details"]
    id: str | None = details.get("task") or details.get("followUp")
    return id


def _open_tasks(rows: list[JsonObject]) -> set[str]:
    """Return the ids of the tasks in the rows that are open now."""
    ids = {_task_of(row) for row in rows if row["kind"] == Kind.FOLLOW_UP} - {None}
    return set(live_tasks().filter(pk__in=ids, status="open").values_list("pk", flat=True)) if ids else set()


def _comments(rows: list[JsonObject]) -> dict[str, Values]:
    """Return the id of each comment in the rows -> its text, its mentions, and when it was edited."""
    ids = [row["pk"] for row in rows if row["kind"] == Kind.COMMENT]
    if not ids:
        return {}
    comments = Comment.objects.filter(pk__in=ids).annotate(mentioned=mention_columns())
    columns = comments.values_list("pk", "text", "mentioned", "edited_at")
    return {
        pk: {"text": text, "mentions": mentioned or [], "editedAt": edited_at}
        for pk, text, mentioned, edited_at in columns
    }


def _mail_words(rows: list[JsonObject]) -> Mapping[str, Values]:
    """Return message -> its words, of the sent mails and the replies in the rows."""
    events = {
        row["details"]["message"]: row["details"]["event"]
        for row in rows
        if row["kind"] == Kind.MAIL and row["details"].get("event") in MAILS_WITH_WORDS
    }
    found: dict[str, Values] = {}
    for words in mail_texts.send(events) if events else ():
        found |= words
    return found
