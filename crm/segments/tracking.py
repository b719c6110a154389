"""Maintain the members of watched segments, and emit events for those who enter and leave.

Watchers connect to `watched_segments`. Events of records move their records. Full comparisons find changes without an
event, such as by time. The rows of the segments are locked during this, so that the later of two workers sees the
earlier one's writes.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

import orjson
from django.db import connection
from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from core.errors import ApiError
from core.events import emit, event_cause
from core.events.models import Event
from core.hooks import Hook
from core.ids import is_id
from core.internals.django import raw_delete
from core.lists import FieldSet
from core.lists.operators import RELATIVE
from core.tenancy import company_id, company_scope
from core.types import JsonObject, Values
from crm.records.types import kind_of
from crm.segments.models import Segment, SegmentMember, SegmentRecord
from crm.segments.services import compile_segment, fields_of, segment_members

log = logging.getLogger(__name__)

ENTERED, LEFT = "segment.entered", "segment.left"
MAX_SEGMENTS = 50
"""Segments that one statement decides about."""
WHOLE_EVERY = timedelta(days=1)
RELATIVE_EVERY = timedelta(minutes=15)
_TOUCHED = ("updatedAt", "updatedBy")
"""Fields that each change moves, and that no event names."""

watched_segments: Hook[[], Collection[str]] = Hook(
    __name__,
    "watched_segments",
    "When the members of watched segments are kept. Returns the ids of the segments that a domain watches in the"
    " active company.",
)


def refresh_watches() -> None:
    """Sync the stored members with the watched segments, in the caller's transaction.

    Members at the start of a watch cause no event.
    """
    watched_ids = {id for ids in watched_segments.send() for id in ids}
    since_by_id = dict(
        Segment.objects.filter(Q(pk__in=watched_ids) | ~Q(watched_since=None)).values_list("pk", "watched_since")
    )
    begun = sorted(id for id, since in since_by_id.items() if since is None)
    ended = sorted(id for id in since_by_id if id not in watched_ids)
    if begun:
        Segment.objects.filter(pk__in=begun).update(watched_since=timezone.now())
        for id in begun:
            compare(id, tell=False)
    if ended:
        Segment.objects.filter(pk__in=ended).update(watched_since=None, compared_at=None)
        raw_delete(SegmentMember.objects.filter(segment__in=ended))


def compare_changed(segment: Segment, by_hand: bool) -> None:
    """Compare the members of a segment that was created or changed. Only records chosen by hand emit events, not a
    new tree."""
    if segment.watched_since is not None:
        compare(segment.pk, tell=by_hand)
    else:
        refresh_watches()


def track_members(events: Sequence[Event]) -> None:
    """Move the records of events in and out of the watched segments (a consumer of events, of one company)."""
    segments = _lock_segments(Segment.objects.exclude(watched_since=None))
    for panel in sorted({segment.panel for segment in segments}):
        touched = _events_by_record(panel, events)
        own = [segment for segment in segments if segment.panel == panel]
        for group, ids in _by_changes(touched).items():
            _move(
                [candidate for candidate in own if group is None or not group.isdisjoint(_names(candidate))],
                ids,
                touched,
            )


def _events_by_record(panel: str, events: Sequence[Event]) -> dict[str, list[Event]]:
    """Return the records of a panel that the events may move, each with its events, ascending.

    What happens to a contact may move its leads, whose segments name fields of it.
    """
    events_by_record: dict[str, list[Event]] = defaultdict(list)
    contacts: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        resource = event.kind.partition(".")[0]
        losers = event.payload.get("losers")
        # A merge moves records in its winner and takes its losers out, and its event names both.
        ids = [event.object_id, *(id for id in (losers if isinstance(losers, list) else ()) if is_id(id))]
        for id in ids:
            if resource == panel:
                events_by_record[id].append(event)
            elif panel == "lead":
                contacts[id].append(event)
    if contacts:
        rows = kind_of("lead").model._default_manager.filter(contact__in=list(contacts))
        for lead, contact in rows.values_list("pk", "contact_id"):
            events_by_record[lead] += contacts[contact]
    return dict(sorted(events_by_record.items()))


def _by_changes(touched: Mapping[str, Sequence[Event]]) -> dict[frozenset[str] | None, list[str]]:
    """Return the records by the names of the fields that have changed; None: any may have."""
    ids_by_names: dict[frozenset[str] | None, list[str]] = defaultdict(list)
    for id, events in touched.items():
        names: set[str] | None = set()
        for event in events:
            resource, _, done = event.kind.partition(".")
            # A creation or deletion may move a record in any segment. Only an
            # update says which fields it is about.
            if done != "updated" or names is None:
                names = None
                break
            names |= {f"{resource}:{name}" for name in event.payload.get("changes") or ()} | {f"{resource}:"}
        ids_by_names[None if names is None else frozenset(names)].append(id)
    return ids_by_names


def _names(segment: Segment) -> frozenset[str]:
    """Return the fields that decide who is in a segment, as <resource>:<name>."""
    names = set()
    for name in _fields(segment.filters):
        root, _, rest = name.partition(".")
        if segment.panel == "lead" and root == "contact" and rest:
            names.add(f"contact:{rest.partition('.')[0]}")
            root = "contact"
        # No event lists updatedAt among its changes, though every one moves it.
        names.add(f"{segment.panel}:{'' if root in _TOUCHED else root}")
        if rest == "contactNumber":
            names |= {"contact:number", "contact:countryCode"}
        if root == "contactNumber":
            names |= {f"{segment.panel}:number", f"{segment.panel}:countryCode"}
    return frozenset(names)


def _fields(node: Values) -> Iterable[str]:
    if "field" in node:
        yield str(node["field"])
    for child in node.get("conditions") or ():
        yield from _fields(child)


def is_relative(segment: Segment) -> bool:
    """Return whether time alone moves records in and out of the segment."""

    def is_relative(node: Values) -> bool:
        return node.get("operator") in RELATIVE or any(is_relative(child) for child in node.get("conditions") or ())

    return is_relative(segment.filters or {})


def _lock_segments(rows: QuerySet[Segment]) -> list[Segment]:
    # By id: the consumer and a member's edit lock several segments in one order.
    return list(rows.select_for_update(of=("self",), no_key=True).order_by("pk"))


def _conditions(segments: Sequence[Segment]) -> dict[str, tuple[Segment, Q]]:
    """Return the segments with their conditions, but those that have become invalid."""
    conditions: dict[str, tuple[Segment, Q]] = {}
    fields: dict[str, FieldSet] = {}
    for n, segment in enumerate(segments):
        if segment.kind == Segment.Kind.STATIC:
            chosen = SegmentRecord.objects.filter(segment=segment.pk, **{segment.panel: OuterRef("pk")})
            conditions[f"s{n}"] = (segment, Q(Exists(chosen)))
            continue
        try:
            where = compile_segment(segment, fields.setdefault(segment.panel, fields_of(segment.panel)))
        except ApiError as error:
            log.warning("segment %s cannot be followed: %s", segment.pk, error)
            continue
        conditions[f"s{n}"] = (segment, where or Q(pk__isnull=False))
    return conditions


def _move(segments: Sequence[Segment], ids: Sequence[str], touched: Mapping[str, Sequence[Event]]) -> None:
    """Decide about the records (of one panel) for the segments: one statement for MAX_SEGMENTS of these."""
    for start in range(0, len(segments), MAX_SEGMENTS):
        conditions = _conditions(segments[start : start + MAX_SEGMENTS])
        if not conditions:
            continue
        panel = segments[0].panel
        columns: JsonObject = {
            name: Case(When(where, then=Value(True)), default=Value(False), output_field=BooleanField())
            for name, (_, where) in conditions.items()
        }
        # One statement decides about many segments: each is a CASE over the same few rows.
        rows = kind_of(panel).live().filter(pk__in=ids).order_by().annotate(**columns).values_list("pk", *columns)
        inside: dict[str, set[str]] = {name: set() for name in columns}
        for id, *flags in rows:
            for name, flag in zip(columns, flags, strict=True):
                if flag:
                    inside[name].add(id)
        member_ids: dict[str, set[str]] = defaultdict(set)
        # Read after the statement above, under the locks of the segments: nobody else can write these rows.
        own = SegmentMember.objects.filter(
            segment__in=[watched.pk for watched, _ in conditions.values()], record_id__in=ids
        )
        for segment_id, id in own.values_list("segment_id", "record_id"):
            member_ids[segment_id].add(id)
        for name, (segment, _) in conditions.items():
            before = member_ids[segment.pk]
            entered, left = sorted(inside[name] - before), sorted(before - inside[name])
            if entered:
                _add(segment, entered)
            if left:
                raw_delete(SegmentMember.objects.filter(segment=segment.pk, record_id__in=left))
            _emit_membership(ENTERED, segment, entered, touched)
            _emit_membership(LEFT, segment, left, touched)


def _add(segment: Segment, ids: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO crm_segmentmember (company_id, segment_id, record_id, since)"
            " SELECT %s, %s, id, %s FROM json_array_elements_text(%s::json) AS given (id) ON CONFLICT DO NOTHING",
            [company_id(), segment.pk, timezone.now(), orjson.dumps(ids).decode()],
        )


def event_payload(segment: Segment, id: str) -> JsonObject:
    """Return the payload of the events of a record that entered or left a segment."""
    return {"segment": segment.pk, "name": segment.name, segment.panel: id}


def _emit_membership(kind: str, segment: Segment, ids: Sequence[str], touched: Mapping[str, Sequence[Event]]) -> None:
    """Emit the events of records that entered or left, with the cause of the change that moved them."""
    groups: dict[tuple[bool, bytes], list[str]] = defaultdict(list)
    for id in ids:
        events = touched.get(id, ())
        cause = events[-1].cause if events else None
        # Workflows follow causes to end their own loops, so an event must carry
        # that of the change which moved it.
        groups[all(event.automation for event in events), orjson.dumps(cause)].append(id)
    for (automation, dumped), own in groups.items():
        payloads = {id: event_payload(segment, id) for id in own}
        cause = orjson.loads(dumped)
        if cause is None:
            emit(kind, own, payloads=payloads, automation=automation)
            continue
        with event_cause(cause):
            emit(kind, own, payloads=payloads, automation=automation)


def compare(id: str, *, tell: bool) -> None:
    """Compare all records with a watched segment, by two statements, and store its members.

    With `tell`, events are emitted for those who have entered and left.
    """
    segment = next(iter(_lock_segments(Segment.objects.filter(pk=id).exclude(watched_since=None))), None)
    if segment is None:
        return
    Segment.objects.filter(pk=id).update(compared_at=timezone.now())
    try:
        now_in = segment_members(segment).order_by().annotate(record=F("pk")).values_list("record", flat=True)
        # The condition is Django's, and the comparison one statement: the ids of a
        # large segment never leave PostgreSQL.
        sql, params = now_in.query.sql_with_params()
    except ApiError as error:
        log.warning("segment %s cannot be followed: %s", segment.pk, error)
        return
    with connection.cursor() as cursor:
        cursor.execute(
            # Materialized, since both parts read it. Evaluated twice, it could differ
            # for conditions that name the time.
            f"WITH inside AS MATERIALIZED (SELECT found.id FROM ({sql}) AS found (id)),"
            " gone AS (DELETE FROM crm_segmentmember m WHERE m.segment_id = %s"
            "   AND NOT EXISTS (SELECT FROM inside WHERE inside.id = m.record_id) RETURNING record_id),"
            " come AS (INSERT INTO crm_segmentmember (company_id, segment_id, record_id, since)"
            "   SELECT %s, %s, inside.id, %s FROM inside WHERE NOT EXISTS"
            "   (SELECT FROM crm_segmentmember k WHERE k.segment_id = %s AND k.record_id = inside.id)"
            "   ON CONFLICT DO NOTHING RETURNING record_id)"
            " SELECT true, record_id FROM come WHERE %s UNION ALL SELECT false, record_id FROM gone WHERE %s",
            [*params, id, company_id(), id, timezone.now(), id, tell, tell],
        )
        moved = cursor.fetchall()
    _emit_membership(ENTERED, segment, sorted(record for entered, record in moved if entered), {})
    _emit_membership(LEFT, segment, sorted(record for entered, record in moved if not entered), {})


def compare_due() -> bool:
    """Compare one segment that is due (a periodic task). Returns whether there may be more.

    Those with dates relative to now are due after RELATIVE_EVERY, the others after WHOLE_EVERY.
    """
    now = timezone.now()
    old = Q(compared_at=None) | Q(compared_at__lte=now - RELATIVE_EVERY)
    rows = (
        Segment.objects.filter(old).exclude(watched_since=None).order_by(F("compared_at").asc(nulls_first=True), "pk")
    )
    # One at a time, since the comparison of a large segment takes long, and its locks end with it.
    for segment in rows.iterator(chunk_size=500):
        late = segment.compared_at is None or segment.compared_at <= now - WHOLE_EVERY
        if late or is_relative(segment):
            with company_scope(segment.company_id):
                compare(segment.pk, tell=True)
            return True
    return False
