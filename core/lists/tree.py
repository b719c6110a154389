"""The tree of conditions: parsed, compiled to SQL, or evaluated in Python.

advancedFilters, segments, reports and workflow conditions use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

from django.db.models import Q

from core.errors import ApiError, shorten
from core.lists.fields import FieldSet, ListField
from core.lists.operators import CompiledCondition, compile_condition
from core.lists.values import Kind, record_value, refuse
from core.text.timezones import is_timezone, zone_of
from core.types import JsonObject, Values

MAX_DEPTH = 5
MAX_CONDITIONS = 50
DEFAULT_ZONE = "UTC"
PARAMETER = "advancedFilters"


@dataclass(frozen=True)
class Condition:
    """One comparison. `value` is the JSON value; days in it are those of `time_zone`."""

    field: str
    operator: str
    value: Any = None
    time_zone: str = DEFAULT_ZONE


@dataclass(frozen=True)
class Group:
    """Conditions of which all ("and") or one ("or") must hold. An empty group holds for every record."""

    operator: str
    conditions: tuple[Condition | Group, ...]


def load_json(text: str, parameter: str) -> Any:
    """Parse the parameter's JSON. Numbers with a fraction become Decimal, so that none is rounded."""
    try:
        # NaN and Infinity are no JSON (RFC 8259, 6), and PostgreSQL's jsonb refuses them.
        return json.loads(
            text,
            parse_float=Decimal,
            parse_constant=_no_constant,
            object_pairs_hook=partial(_unique_members, parameter),
        )
    except (ValueError, RecursionError) as error:
        raise refuse(parameter, f"is not JSON ({shorten(error, 80)})") from None


def _unique_members(parameter: str, pairs: list[tuple[str, Any]]) -> JsonObject:
    """Make an object of its members. Raises a 400 for a name that is there twice, since one of them would be lost."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise refuse(parameter, f"names {shorten(twice, 40)!r} twice")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def parse(value: str | Values, parameter: str = PARAMETER) -> Group:
    """Parse a tree, JSON or object, of at most 5 levels and 50 conditions. `compile` checks names and values."""
    raw = load_json(value, parameter) if isinstance(value, str) else value
    # One condition alone is taken for a group of one.
    if isinstance(raw, Mapping) and "conditions" not in raw and "field" in raw:
        raw = {"operator": "and", "conditions": [raw]}
    tree = _parse_group(raw, parameter, parameter, depth=1)
    if (count := _count(tree)) > MAX_CONDITIONS:
        raise refuse(parameter, f"has {count} conditions, at most {MAX_CONDITIONS} are allowed")
    return tree


def _parse_group(raw: Any, path: str, parameter: str, depth: int) -> Group:
    if not isinstance(raw, Mapping):
        raise refuse(path, 'needs an object such as {"operator": "and", "conditions": [...]}')
    if depth > MAX_DEPTH:
        raise refuse(parameter, f"is nested too deeply, at most {MAX_DEPTH} groups inside each other are allowed")
    _only_keys(raw, {"operator", "conditions"}, path)
    operator, conditions = raw.get("operator", "and"), raw.get("conditions")
    if operator not in ("and", "or"):
        raise refuse(path, f"the operator of a group is and or or, not {shorten(operator, 40)!r}")
    if not isinstance(conditions, list | tuple):
        raise refuse(path, "conditions needs to be an array")
    # Read strictly it would hold for no record; most who send it mean all.
    if operator == "or" and not conditions:
        raise refuse(path, "an or needs conditions, of which one must hold")
    if len(conditions) > MAX_CONDITIONS:
        raise refuse(parameter, f"has {len(conditions)} conditions, at most {MAX_CONDITIONS} are allowed")
    return Group(
        operator,
        tuple(_parse_node(item, f"{path}.conditions[{i}]", parameter, depth) for i, item in enumerate(conditions)),
    )


def _parse_node(raw: Any, path: str, parameter: str, depth: int) -> Condition | Group:
    if not isinstance(raw, Mapping) or "conditions" in raw:
        return _parse_group(raw, path, parameter, depth + 1)
    _only_keys(raw, {"field", "operator", "value", "timeZone"}, path)
    field = raw.get("field")
    operator = raw.get("operator")
    zone = raw.get("timeZone", DEFAULT_ZONE)
    if not isinstance(field, str) or not isinstance(operator, str):
        raise refuse(
            path,
            'a condition needs field and operator, such as {"field": "name", "operator": "contains", "value": "ann"}',
        )
    if not is_timezone(zone):
        raise refuse(path, f"timeZone is a name of the tz database, such as Europe/Berlin, not {shorten(zone, 40)!r}")
    return Condition(field, operator, raw.get("value"), zone)


def _only_keys(raw: Values, allowed: set[str], path: str) -> None:
    unknown = next((key for key in raw if key not in allowed), None)
    if unknown is not None:
        raise refuse(path, f"the key {shorten(unknown, 40)!r} is unknown; allowed: {', '.join(sorted(allowed))}")


def _count(node: Condition | Group) -> int:
    return 1 if isinstance(node, Condition) else sum(_count(child) for child in node.conditions)


def tree_to_json(node: Condition | Group) -> JsonObject:
    """Convert the tree to the JSON object that `parse` reads."""
    if isinstance(node, Condition):
        zone = {} if node.time_zone == DEFAULT_ZONE else {"timeZone": node.time_zone}
        return {"field": node.field, "operator": node.operator, "value": node.value, **zone}
    return {"operator": node.operator, "conditions": [tree_to_json(child) for child in node.conditions]}


def compile(node: Condition | Group, fields: FieldSet, *, now: datetime | None = None, parameter: str = PARAMETER) -> Q:
    """Compile the tree to one Q. withinLast and withinNext count from `now` (default: the present).

    Raises InvalidRequest_400 for an unknown field or an operator or value that does not fit, InvalidFormat for a bad
    id.
    """
    now = now or datetime.now(UTC)
    if isinstance(node, Condition):
        field = fields.filterable(node.field, parameter)
        return _compiled(node, field, parameter, now).q()
    parts = [compile(child, fields, now=now, parameter=parameter) for child in node.conditions]
    # An empty group holds for every record, and so does an "or" that contains one: Q() would silently vanish from it.
    # A Q of empty ones alone must be Q() itself, or the "or" around it would not notice.
    if node.operator == "or":
        return Q(*parts, _connector=Q.OR) if all(parts) else Q()
    return Q(*filter(None, parts))


def check(node: Condition | Group, fields: FieldSet, *, parameter: str = PARAMETER) -> None:
    """Raise the errors of `compile`, without reading the records that a field refers to."""
    if isinstance(node, Condition):
        field = fields.filterable(node.field, parameter)
        _compiled(node, field, parameter, datetime.now(UTC))
        return
    for child in node.conditions:
        check(child, fields, parameter=parameter)


def evaluate(
    node: Condition | Group,
    record: Values,
    fields: FieldSet,
    *,
    now: datetime | None = None,
    parameter: str = PARAMETER,
) -> bool:
    """Return whether the compiled tree selects the record, a mapping of field names to values (a list for several).

    A missing name is null, and so is a value of another type than the field's.
    """
    now = now or datetime.now(UTC)
    if isinstance(node, Condition):
        field = fields.filterable(node.field, parameter)
        compiled = _compiled(node, field, parameter, now)
        return compiled.holds(record_values(field.type, record.get(node.field), node.time_zone))
    results = [evaluate(child, record, fields, now=now, parameter=parameter) for child in node.conditions]
    # As in SQL: an empty group holds for every record.
    return not results or (all(results) if node.operator == "and" else any(results))


def _compiled(node: Condition, field: ListField, parameter: str, now: datetime) -> CompiledCondition:
    try:
        return compile_node(node, field, parameter, now)
    except ApiError as error:
        error.prepend(f"field {field.name!r}: ")
        raise


def compile_node(node: Condition, field: ListField, where: str, now: datetime) -> CompiledCondition:
    """Compile a comparison with the field. A refusal is about `where`."""
    return compile_condition(field, node.operator, node.value, where, now, zone_of(node.time_zone))


def record_values(kind: Kind, value: Any, time_zone: str) -> list[Any]:
    """Return the values of a record as CompiledCondition.holds compares them. A day begins in the time zone."""
    raw = value if isinstance(value, list | tuple | set | frozenset) else [value]
    zone = zone_of(time_zone)
    return [converted for converted in (record_value(kind, item, zone) for item in raw) if converted is not None]
