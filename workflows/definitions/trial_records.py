"""The record that a dry run is tried with, as an event of the workflow's trigger names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.errors import NamedError, PermissionLacking
from core.events.kinds import module_of
from core.models import Event
from core.types import JsonObject, Values
from crm.activities import calls, follow_ups
from crm.activities import services as activities
from crm.activities.models import CallLog, FollowUp, LeadActivity
from crm.comments import services as comments
from crm.comments.rights import live_comments
from crm.contacts.models import Contact
from crm.leads.models import Lead
from crm.meetings import services as meetings
from crm.meetings.models import Meeting
from crm.organizations.models import Organization
from crm.products.models import ProductService
from crm.records.types import kind_of
from crm.segments.models import Segment
from crm.segments.tracking import event_payload as segment_payload
from outreach.chat.conversations import incoming as conversations
from outreach.chat.conversations.models import Conversation
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.inbox.models import InboundMessage
from outreach.messaging.inbox.receiving import effects as inbox
from outreach.runs.campaigns.models import Campaign
from outreach.runs.genie import services as genie
from outreach.runs.genie.models import GenieScheduler
from outreach.site.booking import reservations
from outreach.site.booking.models import Booking
from outreach.site.forms import record_creation
from outreach.site.forms.models import FormLead
from outreach.site.quotes import services as quotes
from outreach.site.quotes.selectors import live_quotes
from workflows.graphs.events import MANUAL, SCHEDULE, SEGMENT, TRIGGER_EVENTS, subject_of

MayRead = Callable[[str], bool]
"""Returns whether the reader may read a module."""
Payload = JsonObject | None
"""The payload of an event; None: there is no such record in this company."""
PANELS = ("contact", "lead")


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """A record that the trigger is about."""

    object_id: str | None = None
    """The object of the event; None: the run begins without an event."""
    subject: tuple[str, str] | None = None
    """Panel and id of the run's contact or lead."""
    payload: JsonObject | None = None


def trial_record(graph: Values, data: Values, may_read: MayRead) -> TrialRecord:
    """Return the record that a request names, by its `subject` or its `record`. A given `trigger` is its payload.

    Raises InvalidInput_400 for both at once, and for a record of another kind or company. Raises
    UnauthorizedAction_403 for one that the reader may not see.
    """
    subject = data.get("subject")
    id = data.get("record")
    trigger = data.get("trigger")
    if subject and id:
        raise NamedError("InvalidInput_400", "choose one record", field=("subject", "record"))
    if subject:
        _check_read(subject["panel"], may_read, "subject")
        return TrialRecord(subject=(subject["panel"], subject["id"]), payload=trigger)
    if not id:
        return TrialRecord(payload=trigger)
    record = record_of_trigger(graph, id, may_read)
    return record if trigger is None else replace(record, payload=trigger)


def record_of_trigger(graph: Values, id: str, may_read: MayRead) -> TrialRecord:
    """Return the record, with its latest event's payload or else the one that an event would have."""
    kind = graph["triggerEventType"]
    if kind not in TRIGGER_EVENTS:
        return _of_audience(_panels(graph), id, may_read)
    _check_read(module_of(kind), may_read)
    event = Event.objects.filter(kind=kind, object_id=id).order_by("-sequence").first()
    payload = _payload(graph, id) if event is None else event.payload
    if payload is None:
        raise _unknown("there is no such record of the trigger in this company")
    return TrialRecord(object_id=id, subject=_subject(kind, id, payload, may_read), payload=payload)


def _panels(graph: Values) -> tuple[str, ...]:
    """Return the panels of the records that a workflow without an event runs for."""
    schedule = graph.get("schedule") or {}
    if graph["triggerEventType"] == MANUAL:
        return PANELS
    if graph["triggerEventType"] != SCHEDULE or not isinstance(schedule, dict):
        return ()
    source = schedule.get("field") if schedule.get("type") == "field" else schedule.get("audience")
    return (source.get("panel", "contact"),) if isinstance(source, dict) else ()


def _of_audience(panels: tuple[str, ...], id: str, may_read: MayRead) -> TrialRecord:
    if not panels:
        raise _unknown("the workflow starts without a record")
    for panel in panels:
        if panel in PANELS and kind_of(panel).live().filter(pk=id).exists():
            _check_read(panel, may_read)
            return TrialRecord(object_id=None, subject=(panel, id), payload=None)
    raise _unknown("there is no such record in this company")


def _subject(kind: str, id: str, payload: Values, may_read: MayRead) -> tuple[str, str] | None:
    """Return the run's record, which is the lead if the event names one. Deleted ones are left out, as by events."""
    contact, lead = subject_of(kind, id, payload)
    for panel, subject in (("lead", lead), ("contact", contact)):
        if subject and kind_of(panel).live().filter(pk=subject).exists():
            _check_read(panel, may_read)
            return panel, subject
    if kind.partition(".")[0] in PANELS:
        raise _unknown("it is deleted")
    return None


def _check_read(module: str, may_read: MayRead, field: str = "record") -> None:
    if not may_read(module):
        raise PermissionLacking(f"{module}.GET", ", since the steps show its values", field=field)


def _unknown(reason: str) -> NamedError:
    return NamedError("InvalidInput_400", reason, field="record")


# Payloads of records whose event is no longer kept


def _payload(graph: Values, id: str) -> Payload:
    """Return the payload that an event of the record would have now."""
    kind = graph["triggerEventType"]
    if kind in SEGMENT:
        return _of_segment((graph.get("config") or {}).get("segment"), id)
    make = PAYLOADS.get(kind) or PAYLOADS.get(kind.partition(".")[0])
    return make(kind, id) if make is not None else None


def _of_segment(segment_id: object, id: str) -> Payload:
    segment = Segment.objects.filter(pk=segment_id).first() if isinstance(segment_id, str) else None
    if segment is None or not kind_of(segment.panel).live().filter(pk=id).exists():
        return None
    return segment_payload(segment, id)


def _of_contact(kind: str, id: str) -> Payload:
    return {} if Contact.objects.filter(pk=id).exists() else None


def _of_lead(kind: str, id: str) -> Payload:
    return {} if Lead.objects.filter(pk=id).exists() else None


def _of_product(kind: str, id: str) -> Payload:
    return {} if ProductService.objects.filter(pk=id).exists() else None


def _of_organization(kind: str, id: str) -> Payload:
    return {} if Organization.objects.filter(pk=id).exists() else None


def _of_call(kind: str, id: str) -> Payload:
    call = CallLog.objects.filter(pk=id).first()
    return None if call is None else calls.event_payload(call)


def _of_follow_up(kind: str, id: str) -> Payload:
    follow_up = FollowUp.objects.filter(pk=id, deleted_at=None).first()
    return None if follow_up is None else follow_ups.event_payload(follow_up)


def _of_note(kind: str, id: str) -> Payload:
    note = LeadActivity.objects.filter(pk=id, kind=LeadActivity.Kind.NOTE).first()
    return None if note is None else activities.event_payload(note)


def _of_comment(kind: str, id: str) -> Payload:
    comment = live_comments().filter(pk=id).first()
    return None if comment is None else comments.event_payload(comment)


def _of_quote(kind: str, id: str) -> Payload:
    quote = live_quotes().filter(pk=id).first()
    return None if quote is None else quotes.event_payload(quote)


def _of_meeting(kind: str, id: str) -> Payload:
    meeting = Meeting.objects.filter(pk=id).first()
    return None if meeting is None else meetings.event_payload(meeting)


def _of_booking(kind: str, id: str) -> Payload:
    booking = Booking.objects.select_related("meeting").filter(meeting=id).first()
    return None if booking is None else reservations.event_payload(booking, booking.meeting)


def _of_submission(kind: str, id: str) -> Payload:
    row = FormLead.objects.select_related("form", "lead").filter(pk=id).first()
    if row is None:
        return None
    return record_creation.event_payload(row, row.form, row.lead.contact_id if row.lead else None)


def _of_received(kind: str, id: str) -> Payload:
    row = InboundMessage.objects.select_related("send_job").filter(pk=id, kind=RECEIVED[kind]).first()
    return None if row is None or row.send_job is None else inbox.event_payload(kind, row, row.send_job)


def _of_message(kind: str, id: str) -> Payload:
    job = SendJob.objects.filter(pk=id, status=SendJob.Status.SENT).first()
    if job is None:
        return None
    return ledger.event_payload(job) if kind == "mail.sent" else ledger.visit_payload(job)


def _of_conversation(kind: str, id: str) -> Payload:
    conversation = Conversation.objects.filter(pk=id).first()
    return None if conversation is None else conversations.event_payload(conversation)


def _of_campaign(kind: str, id: str) -> Payload:
    campaign = Campaign.objects.filter(pk=id).first()
    return None if campaign is None else {"name": campaign.name}


def _of_run(kind: str, id: str) -> Payload:
    run = GenieScheduler.objects.filter(pk=id).first()
    return None if run is None else genie.event_payload(run)


RECEIVED = {
    "mail.replied": InboundMessage.Kind.REPLY,
    "mail.bounced": InboundMessage.Kind.BOUNCE,
    "mail.complained": InboundMessage.Kind.COMPLAINT,
}
"""Kind of events -> the kind of received mails that they are about."""
PAYLOADS: dict[str, Callable[[str, str], Payload]] = {
    "contact": _of_contact,
    "lead": _of_lead,
    "organization": _of_organization,
    "product-service": _of_product,
    "calllog": _of_call,
    "follow-up": _of_follow_up,
    "task": _of_follow_up,
    "note.created": _of_note,
    "comment": _of_comment,
    "quote": _of_quote,
    "meeting": _of_meeting,
    "meeting.booked": _of_booking,
    "meeting.rescheduled": _of_booking,
    "form.submitted": _of_submission,
    **dict.fromkeys(RECEIVED, _of_received),
    "mail": _of_message,
    "conversation": _of_conversation,
    "campaign": _of_campaign,
    "genie.created": _of_run,
}
"""Kind of events, or their resource -> the function that makes the payload of a record."""
