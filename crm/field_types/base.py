"""A custom field at run time, and the base classes of its two types."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from types import UnionType
from typing import Any, ClassVar, Literal, NamedTuple

import orjson

from core.lists.values import Kind
from core.text.folding import shows_nothing
from core.types import JsonObject

MAX_DEPTH = 5
"""Maximum levels of children of a field."""
NO_OPTION = "noOption"
"""Code of a value that is none of a field's options."""


TYPED_CELLS: Mapping[str, type | UnionType] = {"boolean": bool, "number": int | float}
"""Value type -> the types of a file's cells that are its values already."""


class BadValue(ValueError):
    """A value that does not fit the field. The text gives the reason and a value that would fit.

    `code` is the kind of the error where programs treat it apart, such as NO_OPTION.
    """

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class IndexRow(NamedTuple):
    """A value as CustomFieldValue keeps it: exactly one of the three is set."""

    text: str | None = None
    number: Decimal | None = None
    time: datetime | None = None

    def given(self) -> JsonObject:
        """Return the one that is set, by its name."""
        return {name: value for name, value in zip(self._fields, self, strict=True) if value is not None}


class Reference(NamedTuple):
    """A reference to a record of the company; all references are checked together."""

    kind: Literal["member", "file"]
    id: str


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The format of values in a text file.

    `date_format` is such as DD.MM.YYYY or MM/DD/YYYY HH:mm; empty accepts unambiguous dates, and those of `date_order`
    (DMY, MDY or YMD). `day_numbers` accepts the day numbers of spreadsheets. `decimal_mark` is "." or ","; empty
    accepts unambiguous numbers. `currency` is the ISO 4217 code of amounts; empty accepts none.

    `time_zone` is the IANA name of the zone of times without an offset. `country` is the ISO 3166 code of the country
    of national phone numbers; empty accepts only international ones. `members` has address, name or _id in lower case
    -> _id. `fields` has the formats of single fields by their keys.
    """

    date_format: str = ""
    decimal_mark: str = ""
    time_zone: str = "UTC"
    country: str = ""
    date_order: str = ""
    day_numbers: bool = False
    currency: str = ""
    members: Mapping[str, str] | None = None
    fields: Mapping[str, TextFormat] | None = None

    def of(self, key: str) -> TextFormat:
        """Return the format of a field."""
        return self.fields.get(key, self) if self.fields else self


ReadDate = Callable[[str], date | None]
"""Reads a day in the company's own format; None for any other text."""


class ValueType:
    """Checks, parses and indexes the values of a field. Filters of `kind` use `column` of the value table."""

    name: ClassVar[str]
    column: ClassVar[Literal["text", "number", "time"] | None] = None
    kind: ClassVar[Kind | None] = None
    many: ClassVar[bool] = False

    def clean(self, value: Any, field: FieldSpec) -> Any:
        """Check a JSON value and return it as stored.

        Raises BadValue. Never called with null, empty text or an empty array.
        """
        raise NotImplementedError

    def cast(self, text: str, read_date: ReadDate) -> Any:
        """Convert a text without loss to the JSON value that it represents, or return it as it is."""
        return text

    def from_number(self, number: float) -> Any:
        """Convert a JSON number to the text that a file would have in its place, if the values are texts."""
        return number

    def parse_text(self, text: str, field: FieldSpec, how: TextFormat) -> Any:
        """Parse a text into the stored value. Raises BadValue."""
        return self.clean(text, field)

    def index_rows(self, value: Any) -> Iterable[IndexRow]:
        """Return the rows of the value table for a stored value."""
        return ()

    def references(self, value: Any, field: FieldSpec) -> Iterator[Reference]:
        """Return the records that a stored value refers to."""
        return iter(())


class FieldType:
    """The input type of a value: its possible value types (the first is the default), and further checks."""

    name: ClassVar[str]
    value_types: ClassVar[tuple[str, ...]]
    takes_options: ClassVar[bool] = False
    always_many: ClassVar[bool] = False
    """The value is an array for any value type, which then is the type of its items."""

    def check(self, value: Any, field: FieldSpec) -> Any:
        """Check the stored value further. Raises BadValue."""
        return value

    def check_text(self, value: Any, field: FieldSpec, how: TextFormat) -> Any:
        """Check a value further that was parsed from a text. Raises BadValue."""
        return self.check(value, field)

    def advice(self, field: FieldSpec) -> str:
        """Return advice for a user who has left the field empty; empty if none is needed."""
        return ""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of formData, or a child of one, ready to check values."""

    key: str
    name: str
    field_type: FieldType
    value_type: ValueType
    id: str = ""
    required: bool = False
    default: Any = None
    options: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    """Option label in lower case -> value, for texts."""
    option_labels: tuple[str, ...] = ()
    """The labels of the options, in their order, for people."""
    children: tuple[FieldSpec, ...] = ()

    def clean(self, value: Any) -> Any:
        """Check a JSON value and return it as stored, or None for an empty one. Raises BadValue."""
        if value is None or value == [] or (isinstance(value, str) and shows_nothing(value)):
            return None
        if self.field_type.always_many and not self.value_type.many:
            value = self._items(value, self.value_type.clean)
        else:
            value = self.value_type.clean(value, self)
        return self.field_type.check(value, self)

    def read(self, value: Any, read_date: ReadDate) -> Any:
        """Check a JSON value, or a text that stands for one ("5", "true", "red,blue"), and return it as stored.

        Forms and integrations send texts, and numbers for texts of digits. Raises BadValue.
        """
        if isinstance(value, str) and value and self.many and self.field_type.takes_options:
            value = [value] if value in self.options else split_items(value)
        if isinstance(value, list) and self.field_type.always_many and not self.value_type.many:
            value = [self._cast(item, read_date) for item in value]
        else:
            value = self._cast(value, read_date)
        return self.clean(value)

    def _cast(self, value: Any, read_date: ReadDate) -> Any:
        if isinstance(value, str):
            return self.value_type.cast(value, read_date)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return self.value_type.from_number(value) if is_number else value

    def parse(self, cell: Any, how: TextFormat) -> Any:
        """Parse a cell of a file into the stored value, or None for an empty one. Raises BadValue."""
        if isinstance(cell, date | time):
            cell = cell.isoformat()
        kind = TYPED_CELLS.get(self.value_type.name)
        if cell is None or isinstance(cell, list | dict) or (kind and isinstance(cell, kind) and not self.many):
            return self.clean(cell)
        if kind and isinstance(cell, kind):  # in a field with several
            return self.clean([cell])
        text = plain_text(cell).strip()
        if not text:
            return None
        if self.field_type.always_many and not self.value_type.many:
            value = self._items(
                self.split(text),
                lambda item, field: self.value_type.parse_text(self.by_label(plain_text(item)), field, how),
            )
        else:
            value = self.value_type.parse_text(self.by_label(text), self, how)
        return self.field_type.check_text(value, self, how)

    def index_rows(self, value: Any) -> list[IndexRow]:
        """Return the rows of the value table for a stored value; none if it cannot be filtered by."""
        if isinstance(value, list) and not self.value_type.many:
            return [row for item in value for row in self.value_type.index_rows(item)]
        return list(self.value_type.index_rows(value))

    def references(self, value: Any) -> Iterator[Reference]:
        """Yield the records that a stored value refers to."""
        for item in value if isinstance(value, list) and not self.value_type.many else (value,):
            yield from self.value_type.references(item, self)

    @property
    def many(self) -> bool:
        """Return whether a record may have several values of the field."""
        return self.field_type.always_many or self.value_type.many

    def _items(self, value: Any, clean: Any) -> list[Any]:
        if not isinstance(value, list):
            raise BadValue("needs an array")
        if len(value) > MAX_ITEMS:
            raise BadValue(f"enter at most {MAX_ITEMS} values")
        return distinct_items([clean(item, self) for item in value])

    def split(self, text: str) -> list[Any]:
        """Split a cell into its items, unless all of it is one option."""
        return [text] if self.by_label(text) in self.options else split_items(text)

    def by_label(self, text: str) -> str:
        """Return the value of the option with this label, since files hold labels; any other text as it is."""
        if not self.labels or text in self.options:
            return text
        return self.labels.get(text.lower(), text)


MAX_ITEMS = 1000


def distinct_items(items: list[Any]) -> list[Any]:
    """Return each item once; 1 and true are two items."""
    items_by_key: dict[tuple[bool, Any], Any] = {}
    for item in items:
        items_by_key.setdefault((type(item) is bool, repr(item) if isinstance(item, dict | list) else item), item)
    return list(items_by_key.values())


SEPARATORS = (" ::: ", ";", "|", "\n", ",")
"""The separators of items in a cell, the first one that it holds counts; Google writes the first one."""


def split_items(text: str) -> list[Any]:
    """Split a cell such as "red; green" into its items: at semicolons, else at bars, lines or commas.

    A JSON array is read as such, and an item may be quoted as in CSV.
    """
    if text.startswith("["):
        json_items = _json_items(text)
        if json_items is not None:
            return json_items
    separator = next((mark for mark in SEPARATORS if mark in text), ";")
    if text.startswith('"') and len(separator) == 1:
        items = _quoted_items(text)
        if items is not None:
            return items
    return [item.strip() for item in text.split(separator) if item.strip()]


def _json_items(text: str) -> list[Any] | None:
    try:
        items = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return items if isinstance(items, list) and not any(isinstance(item, list | dict) for item in items) else None


def _quoted_items(text: str) -> list[str] | None:
    """Return the items of a text that is a list of quoted ones; None for any other."""
    for separator in (",", ";", "|"):
        try:
            rows = list(csv.reader([text], delimiter=separator, skipinitialspace=True, strict=True))
        except csv.Error:
            continue
        if len(rows) == 1:
            return [item.strip() for item in rows[0] if item.strip()]
    return None


def plain_text(cell: Any) -> str:
    """Return a typed cell as a person would write it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
