"""Call logs: telephone calls with leads and contacts, written one at a time or up to 500 at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Member
from core.errors import WHOLE_BODY, ApiError, NamedError, message_of
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.text.addresses import BadAddress, read_country_code, read_phone
from core.types import JsonObject, Values
from crm.activities.models import CallLog
from crm.contacts.selectors import live_contacts
from crm.leads.selectors import live_leads
from crm.records.datetimes import company_timezone, read_datetime
from crm.records.problems import ValueProblem
from crm.records.results import MAX_BULK, BulkResult, Failure
from crm.records.writes.updates import event_value

NOT_FOUND = "CallLogNotFound_400"
INVALID = "InvalidInput_400"
COLUMNS = {
    "lead_id": "lead",
    "contact_id": "contact",
    "member_id": "member",
    "direction": "direction",
    "outcome": "outcome",
    "number": "number",
    "started_at": "startedAt",
    "duration_seconds": "duration",
    "notes": "notes",
    "recording": "recording",
}
"""Column -> name in the API."""
PLAIN = ("direction", "outcome", "duration_seconds", "notes", "recording")
CLOCKS_DIFFER = timedelta(minutes=5)
"""Tolerance for the clock of a telephone system that runs ahead."""


@dataclass(slots=True)
class _References:
    """The records of the company that the calls refer to."""

    leads: dict[str, str] = field(default_factory=dict)
    """Live lead -> its contact."""
    contacts: dict[str, str] = field(default_factory=dict)
    """Live contact -> its number, "" without one."""
    members: set[str] = field(default_factory=set)
    holders: dict[str, list[str]] = field(default_factory=dict)
    """Number -> the live contacts that have it."""


def create_call(*, actor_id: str, values: Values, automation: bool = True) -> str:
    """Create a call log and return its id. Emits calllog.created.

    A call without lead and contact is assigned to the live contact that has the number. Raises LeadNotFound_400,
    ContactNotFound_400 (no contact has the number) and MemberNotFound_404. Raises InvalidInput_400 if several contacts
    have it, and for a bad number, a start in the future or a lead of another contact.
    """
    with transaction.atomic():
        cleaned = _read(values)
        call = _new(actor_id)
        _fill(call, cleaned, _look_up([cleaned]))
        call.save(force_insert=True)
        _emit("calllog.created", [call], actor_id, automation)
        return str(call.pk)


def create_calls(
    *, actor_id: str, items: Sequence[Any], read: Any, all_or_none: bool = False, automation: bool = True
) -> BulkResult:
    """Create up to 500 call logs, each on its own: an invalid item is reported and does not affect the others. `read`
    checks the shape of an item. With `all_or_none` the first one that fails refuses all, by its error.

    Raises InvalidPayload_400 for no item and for more than 500.
    """
    if not items:
        raise NamedError("InvalidPayload_400", "needs an array of at least one call", field="formData")
    if len(items) > MAX_BULK:
        raise NamedError(
            "InvalidPayload_400", f"has {len(items)} calls, at most {MAX_BULK} go in one request", field="formData"
        )
    result, calls = BulkResult(), []
    # One transaction: a database error leaves none of the calls, while refused rows are reported.
    with transaction.atomic():
        readable: list[tuple[int, JsonObject]] = []
        zone = company_timezone()
        for index, item in enumerate(items):
            try:
                readable.append((index, _read(read(item), zone)))
            except ApiError as error:
                _fail(result, index, item, error)
        references = _look_up([values for _, values in readable])
        for index, values in readable:
            call = _new(actor_id)
            try:
                _fill(call, values, references)
            except ApiError as error:
                _fail(result, index, items[index], error)
            else:
                calls.append(call)
        result.failed.sort(key=lambda failure: failure.index)
        if all_or_none:
            result.refuse_failed()
        CallLog.objects.bulk_create(calls)
        _emit("calllog.created", calls, actor_id, automation)
    result.created = [call.pk for call in calls]
    result.errors.sort(key=lambda error: error[0])
    return result


def update_call(*, id: str, actor_id: str, values: Values, automation: bool = True) -> str:
    """Change the given values of a call log. null removes lead, contact or member, but not both lead and contact.

    Raises CallLogNotFound_400 and the errors of create_call. Emits calllog.updated with the differences, if any.
    """
    with transaction.atomic():
        call = CallLog.objects.select_for_update(of=("self",)).filter(pk=id).first()
        if call is None:
            raise not_found()
        before = {column: getattr(call, column) for column in COLUMNS}
        cleaned = _read(values)
        _fill(call, cleaned, _look_up([cleaned]))
        changes = {
            name: {"from": event_value(before[column]), "to": event_value(getattr(call, column))}
            for column, name in COLUMNS.items()
            if before[column] != getattr(call, column)
        }
        if changes:
            call.updated_by_id = actor_id
            call.save()
            _emit("calllog.updated", [call], actor_id, automation, changes=changes)
        return id


def delete_calls(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected call logs and return their number. Their activities stay in the timelines. Emits
    calllog.deleted.

    Raises CallLogNotFound_400 if ids select none.
    """
    deleted = 0
    with transaction.atomic():
        for ids in in_batches(selection.apply(CallLog.objects.all()), lock=True):
            calls = list(CallLog.objects.filter(pk__in=ids).order_by("pk"))
            CallLog.objects.filter(pk__in=ids).delete()
            _emit("calllog.deleted", calls, actor_id, automation)
            deleted += len(calls)
        if not deleted and not selection.everything:
            raise NamedError(NOT_FOUND, "none of them is a call log of this company", field="ids")
    return deleted


def not_found() -> NamedError:
    """Return the error for an id that belongs to no call log of the company."""
    return NamedError(NOT_FOUND, "there is no such call log in this company", field="id")


def _new(actor_id: str) -> CallLog:
    return CallLog(member_id=actor_id, created_by_id=actor_id, updated_by_id=actor_id)


def _read(values: Values, zone: str | None = None) -> JsonObject:
    """Return the values with number and startedAt in their stored form; `country_code` becomes part of the number.

    `zone` is the company's time zone; without it the function looks the zone up when needed.
    """
    cleaned = dict(values)
    country_code = cleaned.pop("country_code", None)
    if "number" in cleaned:
        cleaned["number"] = _number(country_code, cleaned["number"])
    elif country_code:
        raise NamedError(INVALID, "enter the number too", field="countryCode")
    if "started_at" in cleaned:
        cleaned["started_at"] = _start_time(cleaned["started_at"], zone)
    return cleaned


def _number(country_code: str | None, number: str | None) -> str:
    """Return the number in E.164 form, or "" for none."""
    if not number or not number.strip():
        return ""
    try:
        return read_phone(read_country_code(country_code) if country_code else None, number).e164
    except BadAddress as error:
        raise NamedError(INVALID, str(error), field="number") from None


def _start_time(text: str, zone: str | None) -> datetime:
    moment = read_datetime("startedAt", text, zone)
    if moment > timezone.now() + CLOCKS_DIFFER:
        raise NamedError(INVALID, "enter a time in the past", field="startedAt")
    return moment


def _look_up(values: Sequence[Values]) -> _References:
    """Look up the records that the values refer to, with at most one query for each type of record."""
    references = _References()
    if leads := _distinct_values(values, "lead"):
        references.leads = dict(live_leads().filter(pk__in=leads).values_list("pk", "contact_id"))
    if contacts := _distinct_values(values, "contact") | set(references.leads.values()):
        numbers = live_contacts().filter(pk__in=contacts).values_list("pk", "contact_number")
        references.contacts = {id: number or "" for id, number in numbers}
    if members := _distinct_values(values, "member"):
        references.members = set(Member.objects.filter(pk__in=members).values_list("pk", flat=True))
    searched = {row["number"] for row in values if row.get("number") and not row.get("lead") and not row.get("contact")}
    if searched:
        for id, number in (
            live_contacts().filter(contact_number__in=searched).order_by("pk").values_list("pk", "contact_number")
        ):
            references.holders.setdefault(number or "", []).append(id)
    return references


def _distinct_values(values: Iterable[Values], name: str) -> set[str]:
    return {row[name] for row in values if row.get(name)}


def _fill(call: CallLog, values: Values, references: _References) -> None:
    """Set the given values and those derived from them."""
    for name in PLAIN:
        if name in values:
            setattr(call, name, values[name])
    if "member" in values:
        if values["member"] and values["member"] not in references.members:
            raise NamedError(
                "MemberNotFound_404", f"there is no member {values['member']} in this company", field="member"
            )
        call.member_id = values["member"]
    if "started_at" in values or call.started_at is None:
        call.started_at = values.get("started_at") or timezone.now()
    if "number" in values:
        call.number = values["number"]
    if "lead" in values or "contact" in values or call.lead_id is None is call.contact_id:
        _set_party(call, values, references)
    if not call.number and "number" not in values:
        call.number = references.contacts.get(call.contact_id or "", "")


def _set_party(call: CallLog, values: Values, references: _References) -> None:
    """Set lead and contact: the ones that are named, the lead's contact, or the contact that has the number."""
    lead, contact = values.get("lead", call.lead_id), values.get("contact", call.contact_id)
    if values.get("lead"):
        if lead not in references.leads:
            raise NamedError("LeadNotFound_400", f"there is no lead {lead} in this company", field="lead")
        if not values.get("contact"):
            contact = references.leads[lead]
        elif contact != references.leads[lead]:
            raise NamedError(INVALID, f"the contact of the lead {lead} is {references.leads[lead]}", field="contact")
    elif values.get("contact"):
        if contact not in references.contacts:
            raise NamedError("ContactNotFound_400", f"there is no contact {contact} in this company", field="contact")
        if contact != call.contact_id:
            lead = None  # it was another contact's
    if lead is None and contact is None:
        contact = _holder(call.number, references)
    call.lead_id = lead
    call.contact_id = contact


def _holder(number: str, references: _References) -> str:
    """Return the id of the one live contact that has the number."""
    if not number:
        raise NamedError(
            INVALID, "choose a lead or contact, or enter a phone number", field=("lead", "contact", "number")
        )
    contact_ids = references.holders.get(number, [])
    if not contact_ids:
        raise NamedError("ContactNotFound_400", f"no contact has {number}; choose a contact or lead", field="number")
    if len(contact_ids) > 1:
        raise NamedError(
            INVALID,
            f"{len(contact_ids)} contacts have {number} ({', '.join(contact_ids[:5])}); name one by contact",
            field="number",
        )
    return contact_ids[0]


def _fail(result: BulkResult, index: int, item: Any, error: ApiError) -> None:
    """Add an item that failed to the result. Errors in its form share one message name."""
    name = error.name if isinstance(error, NamedError) else "ValidationError_400"
    reason = error.detail or error.message
    result.failed.append(Failure(index, item, name, reason))
    result.errors.append((index, _problem(error, name, reason)))


def _problem(error: ApiError, name: str, reason: str) -> ValueProblem:
    """Return an item's error as a problem of the fields that it names, or of the whole form."""
    fields = [field for field in error.errors if field.get("code") != WHOLE_BODY] if error.detail else []
    if not fields:
        return ValueProblem("formData", name, reason)
    first, *others = fields
    if all(message_of(field) == message_of(first) for field in others):
        return ValueProblem(", ".join(field["field"] for field in fields), name, message_of(first))
    further = (f"{field['field']}: {message_of(field)}" for field in others)
    return ValueProblem(first["field"], name, "; ".join([message_of(first), *further]))


def event_payload(call: CallLog) -> JsonObject:
    """Return the payload that all events of a call have."""
    return {name: event_value(getattr(call, column)) for column, name in COLUMNS.items()}


def _emit(kind: str, calls: Sequence[CallLog], actor_id: str, automation: bool, **values: Any) -> None:
    payloads = {call.pk: event_payload(call) | values for call in calls}
    emit(kind, list(payloads), payloads=payloads, actor_id=actor_id, automation=automation)
