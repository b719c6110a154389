"""The nine value types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal
from typing import Any

import orjson

from core.errors import shorten
from core.ids import is_id
from core.lists.values import as_utc
from core.text.json import format_iso
from core.types import JsonObject
from crm.field_types.base import (
    MAX_ITEMS,
    BadValue,
    FieldSpec,
    IndexRow,
    ReadDate,
    Reference,
    TextFormat,
    ValueType,
    distinct_items,
    plain_text,
)
from crm.field_types.dates import parse_date
from crm.field_types.numbers import NUMBER, PLAIN, read_number

DATE = "Enter a date, for example 2026-01-31 or 2026-01-31T09:30:00Z."
MAX_TEXT = 20_000
INDEXED_TEXT = 500
INDEXED_ITEMS = 200
MAX_JSON_BYTES = 64 * 1024
MAX_JSON_DEPTH = 10
MAX_NUMBER = 10**20
_SMALLEST_STEP = Decimal("1e-10")
_EXACT = Context(prec=40)
_MIN_WHOLE_NUMBER, _MAX_WHOLE_NUMBER = -(2**63), 2**64 - 1
"""The whole numbers that answers give with all of their digits."""
_WHOLE_IN_FLOAT = 2**53
_PLAIN_NUMBER = re.compile(r"[+-]?\d{1,20}(\.\d{1,10})?", re.ASCII)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def clean_text(value: Any, limit: int = MAX_TEXT) -> str:
    """Return the text, if PostgreSQL can store it. Raises BadValue."""
    if not isinstance(value, str):
        raise BadValue(f"enter a text, not {describe(value)}")
    if len(value) > limit:
        raise BadValue(f"is {len(value):,} characters long. Enter at most {limit:,}.")
    if "\0" in value or _SURROGATE.search(value):
        raise BadValue("enter it without special control characters.")
    return value


def describe(value: Any) -> str:
    """Describe a received value briefly."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if not isinstance(value, str):
        return shorten(value, 60)
    text = shorten(value, 60)
    return text if text and " " not in text else f"“{text}”"


class String(ValueType):
    """Text."""

    name = "string"
    column = "text"
    kind = "text"

    def clean(self, value: Any, field: FieldSpec) -> str:
        return clean_text(value)

    def from_number(self, number: float) -> str:
        return plain_text(number)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        return (IndexRow(text=value[:INDEXED_TEXT]),)


class Number(ValueType):
    """A finite number of up to 20 digits before the point and 10 after it."""

    name = "number"
    column = "number"
    kind = "number"

    def clean(self, value: Any, field: FieldSpec) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue(f"{describe(value)} is not a number. {NUMBER}")
        if not abs(value) < MAX_NUMBER:
            raise BadValue("is too large. Enter at most 20 digits before the point.")
        return value

    def cast(self, text: str, read_date: ReadDate) -> Any:
        number = Decimal(text.strip()) if _PLAIN_NUMBER.fullmatch(text.strip()) else None
        if number is None:
            return text
        if number == number.to_integral_value():
            return int(number)
        return float(number) if Decimal(repr(float(number))) == number else text

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> int | float:
        if PLAIN.fullmatch(text):
            return int(text)
        number = read_number(text, how.decimal_mark, how.currency)
        if abs(number) >= MAX_NUMBER:
            raise BadValue("is too large. Enter at most 20 digits before the point.")
        whole = number == number.to_integral_value() and _MIN_WHOLE_NUMBER <= number <= _MAX_WHOLE_NUMBER
        return int(number) if whole and ("e" not in text.lower() or abs(number) <= _WHOLE_IN_FLOAT) else float(number)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        return (IndexRow(number=number.quantize(_SMALLEST_STEP, context=_EXACT) if value % 1 else number),)


class Boolean(ValueType):
    """true or false."""

    name = "boolean"
    column = "number"
    kind = "boolean"
    words = {
        **dict.fromkeys(("true", "yes", "y", "1", "on", "x", "ja", "wahr", "oui", "vrai", "si", "sí", "да", "✓"), True),
        **dict.fromkeys(("false", "no", "n", "0", "off", "nein", "falsch", "non", "faux", "нет"), False),
    }

    def clean(self, value: Any, field: FieldSpec) -> bool:
        if not isinstance(value, bool):
            raise BadValue(f"{describe(value)} is not allowed. Enter true or false.")
        return value

    def cast(self, text: str, read_date: ReadDate) -> Any:
        return {"true": True, "false": False}.get(text.strip().lower(), text)

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> bool:
        boolean = self.words.get(text.lower())
        if boolean is None:
            raise BadValue(f"{describe(text)} is not allowed. Enter yes or no.")
        return boolean

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        return (IndexRow(number=Decimal(int(value))),)


class Date(ValueType):
    """A date (2026-01-31) or a datetime, stored in UTC with milliseconds."""

    name = "date"
    column = "time"
    kind = "date"

    def clean(self, value: Any, field: FieldSpec) -> str:
        if not isinstance(value, str) or len(value) > 40:
            raise BadValue(f"{describe(value)} is not a date. {DATE}")
        try:
            if len(value) == 10:
                return date.fromisoformat(value).isoformat()
            return format_iso(as_utc(datetime.fromisoformat(value)))
        except (ValueError, OverflowError):
            raise BadValue(f"{describe(value)} is not a date. {DATE}") from None

    def cast(self, text: str, read_date: ReadDate) -> Any:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            day = read_date(text)
            return text if day is None else day.isoformat()
        return text

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> str:
        return parse_date(text, how)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        if len(value) == 10:
            return (IndexRow(time=datetime.combine(date.fromisoformat(value), time.min, UTC)),)
        return (IndexRow(time=datetime.fromisoformat(value)),)


_ADDRESS = re.compile(r".*<([^<>]+)>\s*")


def address_in(text: str) -> str:
    """Return the address of a text such as "Name <address>", or the text without one."""
    written = _ADDRESS.fullmatch(text)
    return (written[1] if written else text).strip()


def find_member(text: str, members: Mapping[str, str]) -> str:
    """Return the _id of the member with this address, name or _id, also of "Name <address>". Raises BadValue."""
    member_id = members.get(address_in(text).lower())
    if not member_id:
        raise BadValue(f"enter the email address of one member, not {describe(text)}.")
    return member_id


class Member(ValueType):
    """A member of the company, by _id."""

    name = "member"
    column = "text"
    kind = "id"

    def clean(self, value: Any, field: FieldSpec) -> str:
        if not is_id(value):
            raise BadValue(f"enter the ID of a {self.name}, not {describe(value)}")
        return value

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> str:
        return self.clean(find_member(text, how.members) if how.members else text, field)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        return (IndexRow(text=value),)

    def references(self, value: Any, field: FieldSpec) -> Iterator[Reference]:
        yield Reference(self.name, value)  # type: ignore[arg-type]


class File(Member):
    """A stored file, by _id."""

    name = "file"

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> str:
        return self.clean(text, field)


class Array(ValueType):
    """Several values: texts, numbers and booleans, or objects of the field's children."""

    name = "array"
    column = "text"
    kind = "text"
    many = True

    def clean(self, value: Any, field: FieldSpec) -> list[Any]:
        if not isinstance(value, list):
            raise BadValue(f"enter a list, not {describe(value)}")
        if len(value) > MAX_ITEMS:
            raise BadValue(f"enter at most {MAX_ITEMS} values")
        if field.children:
            return [_clean_object(item, field, f"item {position}: ") for position, item in enumerate(value)]
        if field.field_type.name == "file":
            return list(dict.fromkeys(VALUE_TYPES["file"].clean(item, field) for item in value))
        return distinct_items([_clean_item(item) for item in value])

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> list[Any]:
        if field.children:
            if not text.startswith("["):
                raise BadValue("needs a JSON array of objects")
            return self.clean(_load(text), field)
        items = field.split(text)
        return self.clean([field.by_label(item) if isinstance(item, str) else item for item in items], field)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        return [
            IndexRow(text=plain_text(item)[:INDEXED_TEXT])
            for item in value[:INDEXED_ITEMS]
            if not isinstance(item, dict)
        ]

    def references(self, value: Any, field: FieldSpec) -> Iterator[Reference]:
        for item in value:
            if isinstance(item, dict):
                yield from _object_references(item, field)
            elif field.field_type.name == "file":
                yield Reference("file", item)


class Object(ValueType):
    """An object: of the field's children by their names, or free-form where it has none."""

    name = "object"

    def clean(self, value: Any, field: FieldSpec) -> JsonObject:
        if not isinstance(value, dict):
            raise BadValue(f"enter a record, not {describe(value)}")
        return _clean_object(value, field, "") if field.children else check_json(value)

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> JsonObject:
        return self.clean(_load(text), field)

    def references(self, value: Any, field: FieldSpec) -> Iterator[Reference]:
        return _object_references(value, field)


class AnyValue(ValueType):
    """Any JSON within bounds; filters apply to text."""

    name = "any"
    column = "text"
    kind = "text"

    def clean(self, value: Any, field: FieldSpec) -> Any:
        return check_json(value)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        return () if isinstance(value, dict | list) else (IndexRow(text=plain_text(value)[:INDEXED_TEXT]),)


def _clean_object(value: Any, field: FieldSpec, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise BadValue(f"{where}enter a record, not {describe(value)}")
    children = {child.key: child for child in field.children}
    unknown = next((key for key in value if key not in children), None)
    if unknown is not None:
        raise BadValue(f"{where}{shorten(unknown, 60)!r} is unknown; known: {', '.join(children)}")
    cleaned = {}
    for key, child in children.items():
        try:
            child_value = child.clean(value.get(key, child.default))
        except BadValue as error:
            raise BadValue(f"{where}{key}: {error}", error.code) from None
        if child_value is not None:
            cleaned[key] = child_value
        elif child.required:
            raise BadValue(f"{where}{key}: enter a value")
    return cleaned


def _object_references(value: JsonObject, field: FieldSpec) -> Iterator[Reference]:
    for child in field.children:
        if child.key in value:
            yield from child.references(value[child.key])


def _clean_item(item: Any) -> Any:
    if isinstance(item, str):
        return clean_text(item)
    if isinstance(item, bool):
        return item
    if isinstance(item, int | float) and abs(item) < MAX_NUMBER:
        return item
    raise BadValue(f"enter texts or numbers, not {describe(item)}")


def check_json(value: Any) -> Any:
    """Return free-form JSON, if it is within the bounds of size and depth. Raises BadValue."""
    _check_node(value, 1)
    try:
        size = len(orjson.dumps(value))
    except (TypeError, orjson.JSONEncodeError):
        raise BadValue("holds something that JSON cannot") from None
    if size > MAX_JSON_BYTES:
        raise BadValue(f"is {size} bytes of JSON, at most {MAX_JSON_BYTES} are allowed")
    return value


def _check_node(value: Any, depth: int) -> None:
    if depth > MAX_JSON_DEPTH:
        raise BadValue(f"is nested more than {MAX_JSON_DEPTH} deep")
    if isinstance(value, str):
        clean_text(value, MAX_JSON_BYTES)
    elif isinstance(value, dict):
        for key, item in value.items():
            clean_text(key, 500)
            _check_node(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_node(item, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadValue("holds a number that JSON cannot")


def _load(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise BadValue(f"enter a record in JSON, not {describe(text)}") from None


_ALL: tuple[Callable[[], ValueType], ...] = (String, Number, Boolean, Date, Member, File, Array, Object, AnyValue)
VALUE_TYPES: dict[str, ValueType] = {value_type.name: value_type for value_type in (make() for make in _ALL)}
