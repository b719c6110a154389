"""Leave out proposed columns of which no value fits: the stages, owners and teams of another system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crm.field_types import FieldSpec
from crm.imports.columns.blank_values import IN_VALUES
from crm.imports.columns.mapping import cell_text
from crm.imports.models import Import
from crm.imports.types import IMPORT_TYPES
from crm.records.schema import RecordSchema


def without_unfit(
    job: Import, schema: RecordSchema, mapping: Mapping[str, str], headers: Sequence[str], rows: Sequence[Sequence[Any]]
) -> dict[str, str]:
    """Return the mapping without the columns of choices and of names that have values, none of which is known.

    `rows` are the first ones of the file. A column of which one value fits stays: the check names the others.
    """
    lookups = IMPORT_TYPES[job.import_type].lookups(job)
    naming = {spec.key for spec in IMPORT_TYPES[job.import_type].names} - schema.fields.keys()
    kept = {}
    for header, key in mapping.items():
        fits: Callable[[str], bool] | None = None
        spec = schema.fields.get(key) or schema.system_fields.get(key)
        if key in naming:
            fits = lookups.tester(key)
        elif spec is not None and spec.options:
            fits = _option_tester(spec)
        if fits is None or _any_fits(_texts(headers.index(header), rows), fits):
            kept[header] = key
    return kept


def _texts(place: int, rows: Sequence[Sequence[Any]]) -> set[str]:
    cells = {row[place] for row in rows if place < len(row)} - {None} - IN_VALUES
    return {text for cell in cells if (text := " ".join(cell_text(cell).split()))}


def _any_fits(texts: set[str], fits: Callable[[str], bool]) -> bool:
    return not texts or any(map(fits, texts))


def _option_tester(spec: FieldSpec) -> Callable[[str], bool]:
    """Return a function that checks whether a text has an option's value or label."""
    return lambda text: any(spec.by_label(str(item)) in spec.options for item in spec.split(text))
