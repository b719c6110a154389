"""Use cases of segments: stored selections of contacts or leads, by a filter tree or by a fixed list of ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.apps import apps
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.access import reserve_quota
from core.errors import ApiError, NamedError, shorten
from core.hooks import Hook
from core.internals.django import raw_delete
from core.lists import BulkSelection, FieldSet, tree
from core.lists.query import filters_tree
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.records.filters import all_custom_fields_of
from crm.records.types import RECORD_TYPES, kind_of
from crm.records.values import Links, add_links, remove_links, remove_other_links
from crm.records.writes.unique_names import save_unique_name
from crm.segments.models import Segment, SegmentMember, SegmentRecord

PLACES = {"pipeline": ("Pipeline", "PipelineNotFound_404"), "stage": ("Stage", "StageNotFound_404")}
"""Field of leads -> the model of its records, which stands above this module, and the error of a missing one."""
TAKEN, NOT_FOUND = "SegmentNameAlreadyExists_400", "SegmentNotFound_400"
segment_changed: Hook[[Segment, bool], None] = Hook(
    __name__,
    "segment_changed",
    "After a segment was created or changed, in that transaction; the second argument is whether its records were"
    " chosen by hand. Compares its members.",
)


@dataclass(frozen=True, slots=True)
class IdChanges:
    """Changes of the records of a static segment. With `ids` None the current records stay."""

    ids: Sequence[str] | None = None
    add: Sequence[str] = ()
    remove: Sequence[str] = ()

    @property
    def has_changes(self) -> bool:
        return self.ids is not None or bool(self.add) or bool(self.remove)


def fields_of(panel: str) -> FieldSet:
    """Return the fields that a segment's tree may name: those of the panel's list, without segments themselves."""
    fields = RECORD_TYPES[panel].fields
    # A segment that names segments could name itself.
    own = [field for field in fields.fields.values() if field.name != "segment"]
    return FieldSet(own, default_sort=fields.default_sort, dynamic=all_custom_fields_of(kind_of(panel)))


def stored_tree(panel: str, filters: Any, advanced: Any) -> JsonObject:
    """Merge a body's `filters` and `advancedFilters` into one tree that compiles.

    Raises InvalidRequest_400 for an invalid part.
    """
    parts = [] if filters is None else [filters_tree(filters)]
    parts += [] if advanced is None else [tree.parse(advanced)]
    if not parts:
        raise NamedError(
            "InvalidInput_400",
            "a dynamic segment needs filters or advancedFilters; [] as conditions selects all",
            field="advancedFilters",
        )
    dumped = tree.tree_to_json(parts[0] if len(parts) == 1 else tree.Group("and", (*parts[0].conditions, parts[1])))
    # Compiled once before it is stored, so that an invalid tree is refused now and not by each reader later.
    tree.compile(tree.parse(dumped), fields_of(panel))
    if panel == Segment.Panel.LEAD:
        _check_places(dumped)
    return dumped


def _check_places(filters: Values) -> None:
    """Refuse pipelines and stages that do not exist: such a condition would never match, or always.

    Raises PipelineNotFound_404 and StageNotFound_404.
    """
    named = ids_of(filters, tuple(PLACES))
    for field, (model, error) in PLACES.items():
        ids = named[field]
        records = apps.get_model("crm", model)._default_manager
        missing = ids - set(records.filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()
        if missing:
            raise NamedError(error, f"there is no {field} {min(missing)} in this company", field="advancedFilters")


def ids_of(node: Values, fields: Sequence[str]) -> dict[str, set[str]]:
    """Return field -> the values that the conditions of a tree compare it with."""
    found: dict[str, set[str]] = {field: set() for field in fields}
    for condition in node.get("conditions", ()):
        for field, ids in ids_of(condition, fields).items():
            found[field] |= ids
    if node.get("field") in found:
        value = node.get("value")
        values = value if isinstance(value, list) else [value]
        found[node["field"]] |= {text for text in values if isinstance(text, str) and text}
    return found


def compile_segment(segment: Segment, fields: FieldSet | None = None) -> Q:
    """Compile the tree of a dynamic segment.

    Raises InvalidRequest_400, which names the segment and the field that has been deleted or changed since.
    """
    where = f"segment {shorten(segment.name, 60)!r}"
    try:
        return tree.compile(tree.parse(segment.filters, where), fields or fields_of(segment.panel), parameter=where)
    except ApiError as error:
        # The filters are stored, so that no field of the request is wrong.
        error.reason = error.hint
        error.fields = ()
        error.errors = ()
        raise


def segment_members(segment: Segment) -> QuerySet[Any]:
    """Return the live contacts or leads of a segment."""
    live = kind_of(segment.panel).live()
    if segment.kind == Segment.Kind.DYNAMIC:
        return live.filter(compile_segment(segment))
    # EXISTS and no join: a join would repeat a record for each row, and DISTINCT would have to sort them all.
    return live.filter(Exists(SegmentRecord.objects.filter(segment=segment.pk, **{segment.panel: OuterRef("pk")})))


def contacts_of(segment: Segment) -> QuerySet[Any]:
    """Return the live contacts of a segment, or of its leads if it selects leads."""
    records: QuerySet[Any] = segment_members(segment)
    if segment.panel == "contact":
        return records
    return kind_of("contact").live().filter(pk__in=records.values("contact_id"))


def next_contacts(segment: Segment, place: str, size: int) -> QuerySet[Any]:
    """Return the ids of the segment's next contacts after the id `place`, ascending; some may have been deleted."""
    if segment.kind == Segment.Kind.STATIC:
        column = "contact_id" if segment.panel == "contact" else "lead__contact_id"
        rows: QuerySet[Any] = SegmentRecord.objects.filter(segment=segment.pk)
    else:
        column = "pk" if segment.panel == "contact" else "contact_id"
        rows = segment_members(segment)
    rows = rows.filter(**{f"{column}__gt": place}).order_by(column).values_list(column, flat=True)
    return (rows if segment.panel == "contact" else rows.distinct())[:size]


def get_segment(id: str) -> Segment:
    """Return the active company's segment with this id. Raises SegmentNotFound_400."""
    segment = Segment.objects.filter(pk=id).first()
    if segment is None:
        raise not_found()
    return segment


def not_found() -> NamedError:
    """Return the error of an id that belongs to no segment of the company."""
    return NamedError(NOT_FOUND, "there is no such segment in this company", field="id")


@transaction.atomic
def create_segment(
    *, actor_id: str, values: Values, filters: Any = None, advanced: Any = None, ids: IdChanges
) -> Segment:
    """Create a segment: dynamic by its filters, or static by its ids.

    Raises InvalidRequest_400 for a tree that does not fit the panel's fields, and InvalidInput_400 for parameters that
    the kind does not accept. Raises SegmentNameAlreadyExists_400, ContactNotFound_400, LeadNotFound_400 and
    PlanLimitExceeded_403.
    """
    reserve_quota("segment")
    segment = Segment(created_by_id=actor_id, updated_by_id=actor_id, **values)
    if segment.kind == Segment.Kind.STATIC:
        _refuse_filters(filters, advanced)
    else:
        _refuse_ids(ids)
        segment.filters = stored_tree(segment.panel, filters, advanced)
    save_unique_name(segment, TAKEN)
    _change_ids(segment, ids)
    segment_changed.send(segment, False)
    return segment


@transaction.atomic
def update_segment(
    *, id: str, actor_id: str, values: Values, filters: Any = None, advanced: Any = None, ids: IdChanges
) -> Segment:
    """Change the given values of a segment, except panel and kind.

    filters and advancedFilters together replace its tree. Raises SegmentNotFound_400, and the errors of create_segment.
    """
    # Locked: of two changes at once, each would overwrite the tree and the ids of the other.
    segment = Segment.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if segment is None:
        raise not_found()
    for name, value in values.items():
        if name in ("panel", "kind") and value != getattr(segment, name):
            raise NamedError(
                "InvalidInput_400", f"is set once, when the segment is made; it is {getattr(segment, name)}", field=name
            )
        setattr(segment, name, value)
    if segment.kind == Segment.Kind.STATIC:
        _refuse_filters(filters, advanced)
    else:
        _refuse_ids(ids)
        if filters is not None or advanced is not None:
            segment.filters = stored_tree(segment.panel, filters, advanced)
    segment.updated_by_id = actor_id
    save_unique_name(segment, TAKEN)
    _change_ids(segment, ids)
    if ids.has_changes or filters is not None or advanced is not None:
        segment_changed.send(segment, ids.has_changes)
    return segment


def _refuse_filters(filters: Any, advanced: Any) -> None:
    if filters is not None or advanced is not None:
        raise NamedError(
            "InvalidInput_400", "a static segment has ids; make one of kind dynamic for filters", field="filters"
        )


def _refuse_ids(ids: IdChanges) -> None:
    if ids.has_changes:
        raise NamedError(
            "InvalidInput_400", "a dynamic segment has filters; make one of kind static for ids", field="ids"
        )


def _change_ids(segment: Segment, changes: IdChanges) -> None:
    if not changes.has_changes:
        return
    _refuse_missing(segment.panel, [*(changes.ids or ()), *changes.add])
    links = Links(SegmentRecord._meta.db_table, "segment_id", f"{segment.panel}_id")
    if changes.ids is not None:
        remove_other_links(links, {segment.pk: list(changes.ids)})
    record_ids = dict.fromkeys([*(changes.ids or ()), *changes.add])
    add_links(company_id(), links, [(segment.pk, id) for id in record_ids])
    if changes.remove:
        remove_links(links, [segment.pk], changes.remove)


def _refuse_missing(panel: str, ids: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        # One JSON text: tens of thousands of parameters, or an array of them, take psycopg longer than the query
        # itself.
        cursor.execute(
            "SELECT given.id FROM json_array_elements_text(%s::json) WITH ORDINALITY AS given (id, place)"
            f" WHERE NOT EXISTS (SELECT FROM {kind_of(panel).table} r WHERE r.id = given.id AND NOT r.is_deleted)"
            " ORDER BY place",
            [orjson.dumps(ids).decode()],
        )
        missing = [id for (id,) in cursor.fetchall()]
    if missing:
        raise NamedError(
            kind_of(panel).not_found,
            f"{', '.join(missing[:5])} not found in this company ({len(missing)} in all)",
            field="ids",
        )


@transaction.atomic
def delete_segments(*, selection: BulkSelection) -> int:
    """Delete the selected segments, not their records. Returns the number deleted.

    Raises SegmentNotFound_400 when ids name none.
    """
    ids = list(
        selection.apply(Segment.objects.select_for_update(of=("self",))).order_by("pk").values_list("pk", flat=True)
    )
    if not ids and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a segment of this company", field="ids")
    SegmentRecord.objects.filter(segment_id__in=ids).delete()
    raw_delete(SegmentMember.objects.filter(segment_id__in=ids))
    Segment.objects.filter(pk__in=ids).delete()
    return len(ids)
