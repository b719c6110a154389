"""Answers of the API as text for people: the columns of a list, the names and values of a record, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from core.api.output import Output
from core.ids import is_id
from core.internals.rest_framework import declared_fields
from core.text.formats import moment_text
from core.text.labels.words import name_label
from core.types import Values
from core.web.visits import HIDDEN

NOTHING = "–"
WIDE = 80
"""The most characters of a table's cell. The tooltip and the record's page have the rest."""
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LABELS = ("name", "title", "subject", "email", "maskedKey")
"""The fields that name a nested record, the first one that it has."""
LAST = ("createdAt", "updatedAt", "createdBy", "updatedBy", "company", "companyID", "isDeleted")


@dataclass(frozen=True)
class Cell:
    """A value in a table: its text, and the whole text if that is longer."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class Entry:
    """A name of a record with its value, or with the entries of an object."""

    name: str
    text: str
    inner: list[Entry] = field(default_factory=list)


def filled_columns(rows: Sequence[Values], output: type[Output] | None) -> list[str]:
    """Return the names for which any of the rows has a value to show."""
    columns = {
        name
        for row in rows
        for name, value in row.items()
        if name != "_id" and value != HIDDEN and not _is_empty(value)
    }
    return in_order(columns, output)


def in_order(names: Iterable[str], output: type[Output] | None) -> list[str]:
    """Sort the names as declared, those of LAST at the end."""
    declared = list(declared_fields(output)) if output is not None else []

    def place(name: str) -> tuple[int, int, str]:
        return (
            LAST.index(name) + 1 if name in LAST else 0,
            declared.index(name) if name in declared else len(declared),
            name,
        )

    return sorted(names, key=place)


def format_cell(value: Any, zone: tzinfo) -> Cell:
    """Convert the value to one line."""
    full_text = text(value, zone)
    line = " ".join(full_text.split())
    return Cell(full_text) if len(line) <= WIDE else Cell(line[: WIDE - 1] + "…", full_text[:2000])


def text(value: Any, zone: tzinfo) -> str:
    """Convert the value to text, times to the company's time zone."""
    if _is_empty(value):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and TIME.fullmatch(value):
        at = datetime.fromisoformat(value).astimezone(zone)
        return moment_text(at)
    if isinstance(value, Mapping):
        return _label(value) or "; ".join(
            f"{name_label(name)}: {text(inner, zone)}" for name, inner in value.items() if not _is_empty(inner)
        )
    if isinstance(value, list):
        of_objects = any(isinstance(inner, Mapping) and not _label(inner) for inner in value)
        return ("\n" if of_objects else ", ").join(text(inner, zone) for inner in value)
    return str(value)


def record_entries(
    data: Values, zone: tzinfo, output: type[Output] | None = None, *, deeper: bool = True
) -> list[Entry]:
    """Return the record's names and values. An object in it has its own entries; deeper ones are one line."""
    rows = []
    for name in in_order(data, output) if output else data:
        value = data[name]
        if deeper and isinstance(value, Mapping) and value and not _label(value):
            rows.append(Entry(name_label(name), "", record_entries(value, zone, deeper=False)))
        else:
            rows.append(Entry(name_label(name), text(value, zone)))
    return rows


def _label(record: Values) -> str:
    """Return the name of a nested record; empty for an object without one."""
    if not is_id(record.get("_id")):
        return ""
    return next(
        (str(record[name]) for name in LABELS if record.get(name)), str(record["_id"]) if len(record) == 1 else ""
    )


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}
