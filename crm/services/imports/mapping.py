"""From a file's columns to formData: what a mapping may be, and how a row is read by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import Named, shorten
from crm.readers import Cell
from crm.readers.synonyms import FIRST_NAME, LAST_NAME
from crm.services.contact_schema import PHONE_KEYS, SYSTEM_COLUMNS, ContactSchema

TAGS, CATEGORY = "tags", "category"
PSEUDO = (FIRST_NAME, LAST_NAME, TAGS, CATEGORY)
"""Targets that are no field of their own; a custom field of the same key goes before."""
MARKED = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings that spreadsheet programs may take for a formula; errors.csv puts an apostrophe before them."""


def check_mapping(mapping: Mapping[str, str], headers: Sequence[str], schema: ContactSchema, *, complete: bool) -> None:
    """Raise InvalidMapping_400 unless each column exists and has a target of its own; if `complete`, nothing required may be left out."""
    known = set(headers)
    for header, key in mapping.items():
        if header not in known:
            raise _invalid(f"the file has no column {shorten(header, 60)!r}; it has: {shorten(', '.join(headers), 400)}")
        if key not in SYSTEM_COLUMNS and key not in schema.fields and key not in PSEUDO:
            raise _invalid(
                f"the column {shorten(header, 60)!r} goes to {shorten(key, 60)!r}, which is no field of contacts;"
                f" use {', '.join((*SYSTEM_COLUMNS, *PSEUDO))} or the uniqueFieldID of a custom field"
            )
    targets = list(mapping.values())
    twice = next((key for key in targets if targets.count(key) > 1), None)
    if twice is not None:
        raise _invalid(f"two columns go to {shorten(twice, 60)!r}; leave one of them out")
    if "name" in targets and {FIRST_NAME, LAST_NAME} & (set(targets) - schema.fields.keys()):
        raise _invalid(f"map either name, or {FIRST_NAME} and {LAST_NAME}")
    if complete:
        _check_complete(set(targets), schema)


def _check_complete(targets: set[str], schema: ContactSchema) -> None:
    if not targets:
        raise _invalid("no column is mapped; send {column header: field key}")
    if {FIRST_NAME, LAST_NAME} & targets:
        targets = targets | {"name"}
    if "number" in targets:
        targets = targets | PHONE_KEYS  # numbers may be international, and bring their prefix
    needed = [*schema.required_system, *(key for key in schema.required_custom if key not in schema.defaults)]
    missing = [key for key in needed if key not in targets]
    if missing:
        raise _invalid(f"required and without column: {', '.join(missing)}")


def _invalid(detail: str) -> Named:
    return Named("InvalidMapping_400", f"columnMapping: {detail}")


class RowReader:
    """Turns a row's cells into formData and labels. `column_of` gives the header that a key comes from."""

    def __init__(self, mapping: Mapping[str, str], headers: Sequence[str], schema: ContactSchema) -> None:
        places = {header: index for index, header in enumerate(headers)}
        pseudo = {key for key in PSEUDO if key not in schema.fields}
        self.column_of = {key: header for header, key in mapping.items()}
        # In the file's order: the database keeps none of an object's keys.
        self._fields = sorted((places[header], key) for header, key in mapping.items() if key not in pseudo)
        self._names = [places[self.column_of[key]] for key in (FIRST_NAME, LAST_NAME) if key in pseudo and key in self.column_of]
        self._tags, self._category = (
            places[self.column_of[key]] if key in pseudo and key in self.column_of else None for key in (TAGS, CATEGORY)
        )
        if self._names:
            self.column_of.setdefault("name", headers[self._names[0]])

    def form_data(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """formData of what the row has; empty cells are left out."""
        form = {}
        for index, key in self._fields:
            cell = cells[index]
            if cell is not None:
                form[key] = cell_text(cell)
        if self._names:
            name = " ".join(cell_text(cells[index]) for index in self._names if cells[index] is not None)
            if name:
                form["name"] = name
        return form

    def tags(self, cells: Sequence[Cell]) -> list[str]:
        """The names in the tags column, separated by commas or semicolons."""
        cell = None if self._tags is None else cells[self._tags]
        if cell is None:
            return []
        names = (" ".join(part.split()) for part in cell_text(cell).replace(";", ",").split(","))
        return list(dict.fromkeys(name for name in names if name))

    def category(self, cells: Sequence[Cell]) -> str:
        """The name in the category column, or an empty text."""
        cell = None if self._category is None else cells[self._category]
        return "" if cell is None else " ".join(cell_text(cell).split())


def cell_text(cell: Cell) -> str:
    """A cell as text, the same from a workbook as from a CSV; the apostrophe that marks text in spreadsheets is taken off."""
    if type(cell) is str:
        return cell[1:] if cell[0] == "'" and cell[1:2] in MARKED and len(cell) > 1 else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return repr(cell)
    return cell.isoformat() if cell is not None else ""  # type: ignore[union-attr]
