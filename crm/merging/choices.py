"""Choose the winner's values in a merge, field by field."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils import timezone

from core.errors import NamedError, shorten
from core.types import JsonObject, Values
from crm.merging.employers import COLUMN, name_employer, refuse_deleted
from crm.organizations.selectors import missing_organizations
from crm.records.kinds import Part
from crm.records.problems import problems_error
from crm.records.schema import BAD_CUSTOM, BAD_SYSTEM, UNKNOWN, RecordSchema
from crm.records.writes.updates import RecordState

REFUSED = "InvalidPayload_400"


def choose(
    schema: RecordSchema,
    parts: Mapping[str, Part],
    winner: RecordState,
    losers: Sequence[RecordState],
    choices: Values,
    *,
    fill_empty: bool,
) -> None:
    """Set the winner's values in its state."""
    states = {state.id: state for state in (winner, *losers)}
    chosen, values = _sort(schema, parts, states, choices)
    gone = sorted(missing_organizations(state.before.get(COLUMN) for state in losers))
    refuse_deleted(winner, states, choices, gone)
    if fill_empty:
        _fill(schema, parts, winner, losers, choices, gone)
    for key, state in chosen.items():
        if key in parts:
            winner.after.update({column: state.before[column] for column in parts[key].columns})
        else:
            _set_value(winner, key, state.custom_before.get(key))
    _apply_values(schema, winner, values)
    name_employer(schema, winner, states, choices)
    _refuse_emptied(schema, parts, winner, choices)


def _sort(
    schema: RecordSchema, parts: Mapping[str, Part], states: Mapping[str, RecordState], choices: Values
) -> tuple[dict[str, RecordState], JsonObject]:
    """Split the choices into key -> the record with the value, and key -> the value itself."""
    chosen: dict[str, RecordState] = {}
    values: JsonObject = {}
    for key, choice in choices.items():
        if key not in parts and key not in schema.fields:
            raise NamedError(UNKNOWN, f"there is no field {shorten(key, 100)!r}", field="choices")
        if isinstance(choice, str) and choice in states:
            chosen[key] = states[choice]
        elif isinstance(choice, dict) and choice.keys() == {"value"}:
            if key not in schema.columns and key not in schema.fields:
                raise NamedError(REFUSED, f"needs the id of the record whose {key} is taken", field=f"choices.{key}")
            values[key] = choice["value"]
        else:
            raise NamedError(REFUSED, 'needs the id of one of the records, or {"value": …}', field=f"choices.{key}")
    for part in {parts[key] for key in choices if key in parts}:
        keys = [key for key in choices if parts.get(key) is part]
        if len({chosen[key].id if key in chosen else "" for key in keys}) > 1:
            raise NamedError(
                REFUSED, f"{' and '.join(keys)} go together and have to come from the same record", field="choices"
            )
    return chosen, values


def _fill(
    schema: RecordSchema,
    parts: Mapping[str, Part],
    winner: RecordState,
    losers: Sequence[RecordState],
    choices: Values,
    gone: Collection[str],
) -> None:
    """Fill the winner's empty values that nobody has chosen from the first of the others that has one.

    Organizations that are `gone` fill nothing.
    """
    decided = {parts[key] for key in choices if key in parts}
    for part in dict.fromkeys(parts.values()):
        holder = next((state for state in losers if _fills(state.before[part.deciding_column], gone)), None)
        if part not in decided and holder is not None and _empty(winner.before[part.deciding_column]):
            winner.after.update({column: holder.before[column] for column in part.columns})
    for key in schema.fields:
        if key not in choices and _empty(winner.custom_before.get(key)):
            _set_value(
                winner,
                key,
                next((value for state in losers if not _empty(value := state.custom_before.get(key))), None),
            )


def _apply_values(schema: RecordSchema, winner: RecordState, values: Values) -> None:
    """Set values that none of the records need have; they are read like those of an update."""
    if not values:
        return
    row, problems = schema.read(values, partial=True, current=winner.after)
    if row is not None:
        problems = schema.check_references([row]).get(0, [])
    if row is None or problems:
        raise problems_error(problems, "choices")
    was = dict(winner.after)
    winner.apply(row, row.system)
    winner.after.update(schema.settle(was, winner.after))
    now = timezone.now()
    stamps = schema.kind.stamps
    given_now = [column for column in stamps if column in row.system and winner.after[column] != winner.before[column]]
    winner.after.update({stamps[column]: now for column in given_now})


def _refuse_emptied(schema: RecordSchema, parts: Mapping[str, Part], winner: RecordState, choices: Values) -> None:
    for key in choices:
        value = winner.after[parts[key].deciding_column] if key in parts else winner.custom.get(key)
        if _empty(value) and (key in schema.required_system or key in schema.required_custom):
            raise NamedError(BAD_SYSTEM if key in parts else BAD_CUSTOM, "enter a value", field=f"choices.{key}")


def _set_value(state: RecordState, key: str, value: Any) -> None:
    if value is None:
        state.custom.pop(key, None)
    else:
        state.custom[key] = value


def _fills(value: Any, gone: Collection[str]) -> bool:
    return not _empty(value) and value not in gone


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
