"""Lead activities: the notes that people write, and those created from domain events, each event once.

An activity of a lead also names the contact that the lead had then. An activity of a contact itself has no lead, and
one of an organization itself names nobody else. The list shows those of leads, crm.timeline shows all of a contact. A
meeting is also an activity of each contact who
attends it. A new contact creates no activity: createdAt and createdBy have the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

import orjson
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Member
from core.errors import NamedError
from core.events import current_cause, emit
from core.ids import new_id
from core.models import Event
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.activities.models import LeadActivity
from crm.activities.participants import check_contact, check_lead, check_organization
from crm.contacts.models import Contact
from crm.leads.models import Lead
from crm.organizations.models import Organization

Kind = LeadActivity.Kind
Part = tuple[str, JsonObject]
"""The kind of an activity and its details."""

TASK_STEPS = ("created", "updated", "completed", "deleted", "restored")
ASSIGNMENT = ("team", "teamMember")
PLACE = ("status", "stage", "pipeline", "lostReason")
"""Changes of a lead that moves."""
COPIED_KEYS = (
    *("subject", "title", "status", "from", "to", "changes", "dueAt", "startsAt", "endsAt"),
    *("direction", "outcome", "duration", "number", "startedAt", "losers"),
)
"""Keys of an event's payload that are copied into details."""


def _created_parts(event: Event) -> list[Part]:
    return [(Kind.CREATED, {})]


def _deleted_parts(event: Event) -> list[Part]:
    return [(Kind.DELETED, {})]


def _changed_parts(event: Event) -> list[Part]:
    """Return one activity for the status, one for team and member, and one for the other changes."""
    changes = event.payload.get("changes") or {}
    status = {key: change for key, change in changes.items() if key in PLACE}
    # A reason alone is a value like any other.
    if not status.keys() & {"status", "stage"}:
        status = {}
    assigned = {key: change for key, change in changes.items() if key in ASSIGNMENT}
    rest = {key: change for key, change in changes.items() if key not in status and key not in assigned}
    parts = [(Kind.STATUS, status), (Kind.ASSIGNED, assigned), (Kind.CHANGED, rest)]
    return [(kind, details) for kind, details in parts if details]


def _values_changed(event: Event) -> list[Part]:
    changes = event.payload.get("changes") or {}
    if "import" in event.payload:
        return [(Kind.IMPORTED, {"import": event.payload["import"], "changes": changes})]
    return [(Kind.CHANGED, changes)]


def _restored_parts(event: Event) -> list[Part]:
    return [(Kind.RESTORED, {})]


def _unsubscribed_parts(event: Event) -> list[Part]:
    return [(Kind.CHANGED, {"unsubscribed": {"from": False, "to": True}})]


def _resubscribed_parts(event: Event) -> list[Part]:
    return [(Kind.CHANGED, {"unsubscribed": {"from": True, "to": False}})]


def _about(kind: str, noun: str) -> Callable[[Event], list[Part]]:
    """Return a reader for events of a record other than the lead; `noun` is the detail that contains the record's
    id."""

    def read(event: Event) -> list[Part]:
        details = {key: event.payload[key] for key in COPIED_KEYS if key in event.payload}
        return [(kind, {"event": event.kind.partition(".")[2], noun: event.object_id, **details})]

    return read


def _of_task(event: Event) -> list[Part]:
    """Return the activity of a task that is about a contact or an organization; follow-up.… tells of those of leads."""
    if event.payload.get("lead"):
        return []
    return _about(Kind.FOLLOW_UP, "task")(event)


READERS: dict[str, Callable[[Event], list[Part]]] = {
    "lead.created": _created_parts,
    "lead.updated": _changed_parts,
    "lead.deleted": _deleted_parts,
    "lead.restored": _restored_parts,
    "contact.updated": _values_changed,
    "contact.deleted": _deleted_parts,
    "contact.restored": _restored_parts,
    "organization.updated": _values_changed,
    "organization.deleted": _deleted_parts,
    "organization.restored": _restored_parts,
    "contact.unsubscribed": _unsubscribed_parts,
    "contact.resubscribed": _resubscribed_parts,
    **{
        f"mail.{step}": _about(Kind.MAIL, "message")
        for step in ("sent", "opened", "clicked", "replied", "bounced", "complained")
    },
    "calllog.created": _about(Kind.CALL, "call"),
    **{f"meeting.{step}": _about(Kind.MEETING, "meeting") for step in ("created", "updated", "cancelled")},
    **{
        f"quote.{step}": _about(Kind.QUOTE, "quote")
        for step in ("created", "sent", "viewed", "accepted", "declined", "expired", "deleted", "restored")
    },
    **{f"follow-up.{step}": _about(Kind.FOLLOW_UP, "followUp") for step in TASK_STEPS},
    **{f"task.{step}": _of_task for step in TASK_STEPS},
    **{
        f"{panel}.{step}": _about(Kind.MERGED, "winner")
        for panel in ("contact", "lead", "organization")
        for step in ("merged", "unmerged")
    },
}
"""Kind of event -> the details of its activities."""


def record(events: Sequence[Event]) -> None:
    """Write the activities of the events (the consumer of READERS). Skips events that name no record of the company."""
    rows = [row for event in events for row in _rows(event)]
    if not rows:
        return
    leads = dict(
        Lead.objects.filter(pk__in={row["lead"] for row in rows if row["lead"]}).values_list("pk", "contact_id")
    )
    for row in rows:
        row["lead"] = row["lead"] if row["lead"] in leads else None
        row["contact"] = row["contact"] or leads.get(row["lead"])
    about = {(row["of"], row["contact"]) for row in rows if row["event"]}
    rows = [row for row in rows if row["event"] or (row["of"], row["contact"]) not in about]
    # Contacts before leads, each in the order of ids: the order in which their writers lock them.
    contacts = _lock_existing(Contact._meta.db_table, {row["contact"] for row in rows})
    held = _lock_existing(Lead._meta.db_table, leads)
    organizations = _lock_existing(Organization._meta.db_table, {row["organization"] for row in rows})
    members = set(
        Member.objects.filter(pk__in={row["member"] for row in rows if row["member"]}).values_list("pk", flat=True)
    )
    for row in rows:
        row["lead"] = row["lead"] if row["lead"] in held else None
        row["contact"] = row["contact"] if row["contact"] in contacts else None
        row["organization"] = row["organization"] if row["organization"] in organizations else None
        row["member"] = row["member"] if row["member"] in members else None
    _insert([row for row in rows if row["lead"] or row["contact"] or row["organization"]])


def _rows(event: Event) -> list[JsonObject]:
    """Return the activities of an event, before the records that it names are checked."""
    panel = event.kind.partition(".")[0]
    about = {name: event.object_id if panel == name else event.payload.get(name) for name in ("lead", "contact")}
    common = {
        **about,
        "organization": _organization(event, panel),
        "of": event.pk,
        "event": event.pk,
        "member": event.actor_id,
        "workflow": _workflow(event.cause or {}),
        "at": event.payload.get("startedAt") or event.created_at,
    }
    activities = [
        {**common, "id": new_id(), "kind": kind, "details": details} for kind, details in READERS[event.kind](event)
    ]
    return activities + _of_attendees(event, activities[0]) if panel == "meeting" else activities


def _organization(event: Event, panel: str) -> str | None:
    """Return the organization that the event happened to itself."""
    if panel == "task":
        organization_id: str | None = event.payload.get("organization")
        return organization_id
    return event.object_id if panel == "organization" else None


def _workflow(cause: Values) -> JsonObject | None:
    """Return the workflow of a cause."""
    return {"_id": cause["workflow"], "name": cause.get("name", "")} if cause.get("workflow") else None


def _of_attendees(event: Event, activity: Values) -> list[JsonObject]:
    """Return the activity of a meeting for each contact who attends it, or attended it until then.

    One event has several of them, so that their ids keep them from coming twice, and not the event's.
    """
    return [
        {
            **activity,
            "id": event.pk[:8] + sha256(f"{event.pk} {contact}".encode()).hexdigest()[:16],
            "event": None,
            "lead": None,
            "contact": contact,
            "details": {**activity["details"], "event": said},
        }
        for contact, said in event.payload.get("contacts", {}).items()
    ]


def _lock_existing(table: str, ids: Iterable[str | None]) -> set[str]:
    """Return those of the ids that exist, and lock their rows until the transaction ends."""
    record_ids = [id for id in ids if id]
    if not record_ids:
        return set()
    with connection.cursor() as cursor:
        # KEY SHARE forbids deletion and allows edits of the records; by id against deadlocks.
        cursor.execute(f"SELECT id FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [record_ids])
        return {id for (id,) in cursor.fetchall()}


def _insert(rows: Sequence[Values]) -> None:
    if not rows:
        return
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {LeadActivity._meta.db_table} (id, company_id, kind, lead_id, contact_id, organization_id,"
            " member_id, details, workflow, notes, happened_at, event_id, created_at, updated_at) SELECT id, %s, kind,"
            " lead, contact, organization, member, details, workflow, '', at, event, %s, %s FROM"
            " json_to_recordset(%s::json) AS told (id text, kind text, lead text, contact text, organization text,"
            " member text, details jsonb, workflow jsonb, at timestamptz, event text) ON CONFLICT DO NOTHING",
            [company_id(), now, now, orjson.dumps(rows, default=str).decode()],
        )


def add_note(
    *,
    actor_id: str,
    notes: str,
    lead_id: str | None = None,
    contact_id: str | None = None,
    organization_id: str | None = None,
    automation: bool = True,
) -> str:
    """Add a note to a live lead, contact or organization and return the activity's id. Emits note.created.

    Raises LeadNotFound_400, ContactNotFound_400, OrganizationNotFound_400 and InvalidInput_400 (none or several named,
    or no text).
    """
    if sum(id is not None for id in (lead_id, contact_id, organization_id)) != 1:
        raise NamedError("InvalidInput_400", "choose a lead or a contact", field=("lead", "contact"))
    if not notes.strip():
        raise NamedError("InvalidInput_400", "enter a text", field="notes")
    # The lock of the record and the note commit together: no note on a deleted record.
    with transaction.atomic():
        contact = None
        if lead_id:
            contact = check_lead(lead_id).contact_id
        elif contact_id:
            contact = check_contact(contact_id)
        else:
            check_organization(organization_id or "")
        note = LeadActivity.objects.create(
            kind=Kind.NOTE,
            lead_id=lead_id,
            contact_id=contact,
            organization_id=organization_id,
            member_id=actor_id,
            workflow=_workflow(current_cause()),
            notes=notes,
            happened_at=timezone.now(),
        )
        payloads = {note.pk: event_payload(note)}
        emit("note.created", [note.pk], payloads=payloads, actor_id=actor_id, automation=automation)
        return str(note.pk)


def change_notes(activity: QuerySet[LeadActivity], *, notes: str) -> None:
    """Replace the notes of the queryset's activity, of any kind.

    Raises LeadActivityNotFound_404, and InvalidInput_400 for a note without text.
    """
    activities = activity
    if not notes.strip():
        activities = activities.exclude(kind=Kind.NOTE)
    if not activities.update(notes=notes, updated_at=timezone.now()):
        if activity.exists():
            raise NamedError("InvalidInput_400", "enter a text", field="notes")
        raise not_found()


def not_found() -> NamedError:
    """Return the error for an id that belongs to no activity of the company."""
    return NamedError("LeadActivityNotFound_404", "there is no such activity in this company", field="id")


def event_payload(note: LeadActivity) -> JsonObject:
    """Return the payload of the event of a new note."""
    about = {"organization": note.organization_id} if note.organization_id else {}
    return {"lead": note.lead_id, "contact": note.contact_id, **about, "notes": note.notes}
