"""Fields that several columns of a file feed: the first value counts, the others are kept in fields of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.text.addresses import BadAddress, read_country_code, read_email, read_phone
from core.text.formulas import restore
from core.types import JsonObject, Values
from crm.imports.columns.blank_values import words_for_nothing
from crm.imports.models import Import
from crm.imports.readers import Cell
from crm.imports.readers.mapping import SEPARATOR, SEVERAL
from crm.records.schema import BAD_SYSTEM, RecordSchema

FIELD_TYPES_OF = {"email": "email", "number": "phone"}
"""Field that several columns may feed -> type of the custom field for a further value."""


class CellProblem(NamedTuple):
    """A problem of a cell, or of the whole row without a column.

    `name` is the error's, `code` the kind of it, and `key` the field, if one is meant.
    """

    column: str
    name: str
    message: str
    code: str = ""
    key: str = ""


@dataclass(slots=True)
class JoinedValues:
    """The values of a row's columns: the columns of the values that count, and the unusable ones."""

    columns: dict[str, str] = field(default_factory=dict)
    """Field key -> header of the column whose value counts."""
    problems: list[CellProblem] = field(default_factory=list)
    """Values that were left out. The row is written without them."""


class JoinedColumns:
    """Reads the columns that feed one field, and the cells that hold several values."""

    def __init__(self, job: Import, schema: RecordSchema, *, country: str) -> None:
        """`country` is the ISO 3166 code of the country of national numbers, or empty."""
        places = {header: place for place, header in enumerate(job.headers)}
        mapped = sorted((places[header], header, key) for header, key in job.column_mapping.items())
        by_header = dict(zip(job.headers, job.columns, strict=False))
        self._nothing = {key: {None, *words_for_nothing(key, schema.system_fields.get(key))} for key in SEVERAL}
        self._groups: dict[str, list[tuple[int, str]]] = {}
        for key in SEVERAL:
            group = [(place, header) for place, header, target in mapped if target == key]
            if len(group) > 1 or any(by_header.get(header, {}).get("several") for _, header in group):
                self._groups[key] = group
        self.keys = frozenset(self._groups)
        self._code = next((place for place, _, key in mapped if key == "countryCode"), None)
        self._kept = job.kept_columns
        self._country = country
        self._known = schema.fields

    def read(self, cells: Sequence[Cell], form: JsonObject) -> JoinedValues:
        """Put the first valid value of each field into the form, and the others into the fields that keep them."""
        joined = JoinedValues()
        for key, group in self._groups.items():
            nothing = self._nothing[key]
            filled = [(header, cells[place]) for place, header in group if cells[place] not in nothing]
            values = [(header, text) for header, cell in filled for text in _split(cell)]
            if len(values) > 1:
                self._choose(key, values, self._reader(key, cells), form, joined)
            elif values:
                column, value = values[0]
                joined.columns[key] = column
                form[key] = value
        return joined

    def _choose(
        self,
        key: str,
        values: Sequence[tuple[str, str]],
        read: Callable[[str], str],
        form: JsonObject,
        joined: JoinedValues,
    ) -> None:
        further: dict[str, list[str]] = {}
        seen: set[str] = set()
        problems: list[CellProblem] = []
        for header, cell in values:
            try:
                value = read(cell)
            except BadAddress as error:
                text = f"{error} The row was imported without this value."
                problems.append(CellProblem(header, BAD_SYSTEM, text, error.code))
                continue
            if value.lower() in seen:
                continue
            seen.add(value.lower())
            if key not in joined.columns:
                joined.columns[key] = header
                form[key] = cell
            else:
                further.setdefault(header, []).append(value)
        if key not in joined.columns:  # the schema says what is wrong with it
            column, value = values[0]
            joined.columns[key] = column
            form[key] = value
            return
        joined.problems += problems
        for header, kept in further.items():
            self._put_further_values(header, ", ".join(kept), form, joined)

    def _put_further_values(self, header: str, text: str, form: JsonObject, joined: JoinedValues) -> None:
        """Put further values of a column into its field. Before the import starts there is none."""
        target = self._kept.get(header)
        if target in self._known:
            form[target] = text
        elif target is not None:
            problem = "was not imported: the field for further values of this column has been deleted."
            joined.problems.append(CellProblem(header, BAD_SYSTEM, f"{text} {problem}"))

    def _reader(self, key: str, cells: Sequence[Cell]) -> Callable[[str], str]:
        """Return a reader of the field's values in this row. It raises BadAddress."""
        if key == "email":
            return read_email
        cell = None if self._code is None else cells[self._code]
        if cell is None or cell in self._nothing[key]:
            return lambda text: read_phone(None, text, self._country).e164
        code = _country_code(cell)
        return lambda text: read_phone(code, text).e164  # numbers of an unknown country are refused


def _split(cell: Cell) -> list[str]:
    text = restore(cell) if isinstance(cell, str) else repr(cell)
    if SEPARATOR not in text:
        return [text]
    return [part for piece in text.split(SEPARATOR) if (part := piece.strip())]


def _country_code(cell: Cell) -> str | None:
    try:
        return read_country_code(str(cell))
    except BadAddress:
        return None


def further_columns(job: Import) -> dict[str, str]:
    """Return column -> type of the custom field for its further values, for the columns that have such values.

    The first column with values has none, unless its cells hold several.
    """
    by_header: dict[str, Values] = dict(zip(job.headers, job.columns, strict=False))
    types_by_header: dict[str, str] = {}
    for key in SEVERAL:
        columns = [header for header in job.headers if job.column_mapping.get(header) == key]
        filled = [header for header in columns if by_header.get(header, {}).get("filled", 1)]
        for number, header in enumerate(filled):
            several = by_header.get(header, {}).get("several", False)
            if several or number:
                types_by_header[header] = "text" if several else FIELD_TYPES_OF[key]
    return types_by_header
