"""Sections of forms, declared as Django's admin declares its fieldsets.

A form or its class has `fieldsets`. A tuple within `fields` is a row of fields side by side, and REST are all fields
that no section names, such as a company's own ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.web.forms.fields import BoundField

REST = "*"
Row = str | tuple[str, ...]


@dataclass(frozen=True)
class Fieldset:
    """A section of a form: its heading, the rows of its fields, and at most one sentence."""

    title: str
    fields: Sequence[Row]
    text: str = ""
    folded: bool = False
    """A folded section is closed until a person opens it, or one of its fields is refused."""


@dataclass(frozen=True)
class Section:
    """A section as templates draw it, without the fields that the form does not have."""

    title: str
    text: str
    rows: list[list[BoundField]]
    folded: bool = False

    @property
    def closed(self) -> bool:
        """True for a folded section without a refused field."""
        return self.folded and not any(field.errors for row in self.rows for field in row)


def in_pairs(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return rows of two fields each; the last one may have one."""
    listed = tuple(names)
    return tuple(listed[start : start + 2] for start in range(0, len(listed), 2))


def sections_of(fields: Mapping[str, BoundField], fieldsets: Sequence[Fieldset]) -> list[Section]:
    """Return the sections with fields. Fields that none names stand where REST is, or at the end."""
    names = {name for fieldset in fieldsets for row in fieldset.fields for name in _names(row)}
    rest = [[field] for name, field in fields.items() if name not in names]
    has_place = REST in names
    sections = []
    for fieldset in fieldsets:
        rows = list(_rows(fields, fieldset.fields, rest))
        sections.append(Section(fieldset.title, fieldset.text, rows, fieldset.folded))
    if rest and not has_place:
        sections.append(Section("", "", rest))
    return [section for section in sections if section.rows]


def _names(row: Row) -> tuple[str, ...]:
    return (row,) if isinstance(row, str) else row


def _rows(
    fields: Mapping[str, BoundField], rows: Iterable[Row], rest: list[list[BoundField]]
) -> Iterable[list[BoundField]]:
    for row in rows:
        if row == REST:
            yield from rest
        elif present := [fields[name] for name in _names(row) if name in fields]:
            yield present


def in_rows(fields: Iterable[BoundField], rows: Iterable[Sequence[str]]) -> list[list[BoundField]]:
    """Return the fields in their order, those of a row together at the place of its first one."""
    by_name = {field.name: field for field in fields}
    row_of = {name: tuple(row) for row in rows for name in row}
    order = dict.fromkeys(row_of.get(name, (name,)) for name in by_name)
    return [[by_name[name] for name in row if name in by_name] for row in order]
