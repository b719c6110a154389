"""Conversion of stored values to a field's new types: a table of converters from kind to kind.

Without a converter, no value of the one kind can become one of the other. The converters take single values, also for
fields with several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson

from crm.field_types.base import BadValue, FieldSpec, TextFormat, plain_text, split_items
from crm.field_types.values import VALUE_TYPES, describe

Converter = Callable[[Any, FieldSpec], Any]
"""Takes a stored value and its new field.

Returns input for the field's `clean`, or None for no value. Raises BadValue.
"""

JOIN = "; "
"""Joins several values into one text, and splits a text into several values."""


def _option(text: str, field: FieldSpec) -> str:
    """Return the value of the option with this label; any other text as it is."""
    return field.by_label(text) if field.field_type.takes_options else text


def _unchanged(value: Any, field: FieldSpec) -> Any:
    return _option(value, field) if isinstance(value, str) else value


def _as_text(value: Any, field: FieldSpec) -> str:
    return _option(plain_text(value), field)


def _as_json(value: Any, field: FieldSpec) -> str:
    return orjson.dumps(value).decode()


def _parsed(value: str, field: FieldSpec) -> Any:
    text = _option(value.strip(), field)
    return field.value_type.parse_text(text, field, TextFormat()) if text else None


def _as_boolean(value: float, field: FieldSpec) -> bool:
    if value not in (0, 1):
        raise BadValue(f"enter 1 or 0 for true or false, not {describe(value)}")
    return bool(value)


def _as_number(value: bool, field: FieldSpec) -> int:
    return int(value)


CONVERSIONS: Mapping[str, Mapping[str, Converter]] = {
    "string": {
        "string": _unchanged,
        "number": _parsed,
        "boolean": _parsed,
        "date": _parsed,
        "object": _parsed,
        "any": _unchanged,
    },
    "number": {"string": _as_text, "number": _unchanged, "boolean": _as_boolean, "any": _unchanged},
    "boolean": {"string": _as_text, "number": _as_number, "boolean": _unchanged, "any": _unchanged},
    "date": {"string": _unchanged, "date": _unchanged, "any": _unchanged},
    "member": {"member": _unchanged, "any": _unchanged},
    "file": {"file": _unchanged, "any": _unchanged},
    "object": {"string": _as_json, "object": _unchanged, "any": _unchanged},
    "any": {
        "string": _unchanged,
        "number": _unchanged,
        "boolean": _unchanged,
        "date": _unchanged,
        "object": _unchanged,
        "any": _unchanged,
    },
}
"""Present kind -> new kind -> converter. A value of kind `any` is converted by its own kind (`_kind_of`)."""


def item_kind(field: FieldSpec) -> str:
    """Return the kind of each single value of a field: its value type, or for arrays the kind of the items."""
    if field.value_type.name != "array":
        return field.value_type.name
    if field.field_type.name == "file":
        return "file"
    return "object" if field.children else "any"


def refusal(old: FieldSpec, new: FieldSpec) -> str:
    """Return why no value of the one field can become one of the other; empty when some can."""
    before, after = item_kind(old), item_kind(new)
    if after in CONVERSIONS[before]:
        return ""
    if after in ("member", "file"):
        return f"a {after} is chosen among the company's own, and a value of another kind names none"
    if before in ("member", "file"):
        return f"the ID of a {before} says nothing as another value"
    return f"no {before} can become {'an' if after in ('object', 'any') else 'a'} {after}"


def convert(value: Any, old: FieldSpec, new: FieldSpec) -> Any:
    """Convert a stored value of the old field for the new one; None when nothing is left of it. Raises BadValue."""
    reason = refusal(old, new)
    if reason:
        raise BadValue(reason)
    if new.value_type.name == "any" and not new.many:
        return new.clean(_unchanged(value, new))
    if new.many and isinstance(value, str) and item_kind(old) in ("string", "any"):
        if value.lstrip().startswith("["):
            return new.parse(value, TextFormat())
        items = [value] if _option(value, new) in new.options else split_items(value)
    else:
        items = value if isinstance(value, list) else [value]
    values = [converted for item in items if (converted := _convert_item(item, old, new)) is not None]
    if new.many:
        return new.clean(values)
    if len(values) > 1:
        if item_kind(new) != "string" or new.field_type.takes_options:
            raise BadValue(f"has {len(values)} values, and the field is to hold one")
        return new.clean(JOIN.join(values))
    return new.clean(values[0]) if values else None


def _convert_item(item: Any, old: FieldSpec, new: FieldSpec) -> Any:
    before, after = item_kind(old), item_kind(new)
    if before == "any":
        before = _kind_of(item)
    converter = CONVERSIONS.get(before, {}).get(after)
    if converter is None:
        raise BadValue(f"enter a {after}, not {describe(item)}")
    return converter(item, replace(new, value_type=VALUE_TYPES[after]))


def _kind_of(value: Any) -> str:
    """Return the kind of a value whose field does not define it; empty for an array."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, dict) else ""
