"""Check mappings from a file's columns to formData, and read rows by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.errors import NamedError, shorten
from core.text.formulas import restore
from core.types import JsonObject, Values
from crm.contacts.schema import PHONE_KEYS
from crm.field_types import FIELD_TYPES, FieldSpec
from crm.imports.columns.blank_values import ERRORS, IN_VALUES, words_for_nothing
from crm.imports.columns.joined import JoinedColumns
from crm.imports.readers import Cell
from crm.imports.readers.mapping import SEVERAL
from crm.imports.readers.synonyms import AREA_CODE, FIRST_NAME, LAST_NAME
from crm.imports.readers.words import EASTERN_NAME
from crm.imports.types import ImportType
from crm.imports.types.base import NEW_FIELD, RECORD_ID
from crm.records.schema import RecordSchema

NAMES = (FIRST_NAME, LAST_NAME)
"""Targets that form the name together. A custom field of the same key takes precedence."""


def check_mapping(
    kind: ImportType, mapping: Mapping[str, str], headers: Sequence[str], schema: RecordSchema, *, complete: bool
) -> None:
    """Raise InvalidMapping_400 unless each column exists and has a target of its own or one of SEVERAL, and unless, if
    `complete`, all required fields have one."""
    known_headers = set(headers)
    pseudo = _pseudo(kind)
    for header, key in mapping.items():
        if header not in known_headers:
            raise invalid_mapping(
                f"the file has no column {shorten(header, 60)!r}; it has: {shorten(', '.join(headers), 400)}",
                code="noColumn",
                params={"column": header},
            )
        if key not in kind.keys and key not in schema.fields and key not in pseudo and not is_new(key):
            raise invalid_mapping(
                f"the column {shorten(header, 60)!r} goes to {shorten(key, 60)!r}, which is no field of {kind.noun};"
                f" use {', '.join((*kind.keys, *pseudo))} or the uniqueFieldID of a custom field",
                code="noField",
                params={"column": header},
            )
    targets = [key for key in mapping.values() if not is_new(key)]
    twice = next((key for key in targets if key not in SEVERAL and targets.count(key) > 1), None)
    if twice is not None:
        text = f"two columns go to {shorten(twice, 60)!r}; leave one of them out"
        raise invalid_mapping(text, code="usedTwice", params={"target": twice})
    if AREA_CODE in targets and AREA_CODE not in schema.fields and "number" not in targets:
        text = f"{AREA_CODE} goes in front of a number; map the column of the numbers to number, too"
        raise invalid_mapping(text, code="noNumber")
    if "name" in targets and {FIRST_NAME, LAST_NAME} & (set(targets) - schema.fields.keys()):
        raise invalid_mapping(f"map either name, or {FIRST_NAME} and {LAST_NAME}", code="nameTwice")
    if complete:
        _check_complete(kind, set(mapping.values()), schema)


def is_new(key: str) -> bool:
    """Return whether a target is a custom field that the import creates when it starts."""
    return key.startswith(NEW_FIELD) and (key == NEW_FIELD or key.removeprefix(NEW_FIELD) in FIELD_TYPES)


def refuse_new_fields(mapping: Mapping[str, str], *, may_create: bool) -> None:
    """Raise InvalidMapping_400 if the mapping needs new fields and the user may not create any."""
    header = next((header for header, key in mapping.items() if is_new(key)), None)
    if header is not None and not may_create:
        raise invalid_mapping(
            f"the column {shorten(header, 60)!r} needs a custom field, and your role lacks the permission"
            " custom-field.POST; leave the column out",
            code="noNewFields",
            params={"column": header},
        )


def _pseudo(kind: ImportType) -> tuple[str, ...]:
    """Return the targets that are no field."""
    return (*NAMES, AREA_CODE, RECORD_ID, *(spec.key for spec in kind.names))


def deleted_fields(kind: ImportType, mapping: Mapping[str, str], schema: RecordSchema) -> list[str]:
    """Return the headers of the columns whose custom field is gone."""
    existing_keys = {*kind.keys, *_pseudo(kind), *schema.fields}
    return [header for header, key in mapping.items() if key not in existing_keys]


def _check_complete(kind: ImportType, targets: set[str], schema: RecordSchema) -> None:
    if not targets:
        raise invalid_mapping("no column is mapped; send {column header: field key}", code="noneMapped")
    if RECORD_ID in targets:
        return  # rows that name their record lack nothing; the others are checked one by one
    if {FIRST_NAME, LAST_NAME} & targets:
        targets = targets | {"name"}
    if "number" in targets:
        targets = targets | PHONE_KEYS  # numbers may be international and contain their country code
    missing = kind.missing_fields(schema, targets)
    if missing:
        detail = f"required and without column: {', '.join(missing)}"
        raise invalid_mapping(detail, code="missingColumns", params={"targets": missing})


def invalid_mapping(detail: str, *, code: str = "", params: Values | None = None) -> NamedError:
    return NamedError("InvalidMapping_400", detail, field="columnMapping", code=code, params=params)


class RowReader:
    """Converts a row's cells to formData and named records.

    `column_of` returns the header of a key's column, of several the first. `joined` are the fields that several columns
    feed, if there are any.
    """

    def __init__(
        self,
        kind: ImportType,
        mapping: Mapping[str, str],
        headers: Sequence[str],
        schema: RecordSchema,
        joined: JoinedColumns | None = None,
    ) -> None:
        places = {header: index for index, header in enumerate(headers)}
        naming = {spec.key for spec in kind.names} - schema.fields.keys()
        pseudo = ({*NAMES, AREA_CODE} - schema.fields.keys()) | naming | {RECORD_ID}
        specs = schema.system_fields | schema.fields
        self.column_of: dict[str, str] = {}
        # In the file's order: the database does not keep the order of an object's keys.
        for header in sorted(mapping, key=places.__getitem__):
            self.column_of.setdefault(mapping[header], header)
        self._fields = [
            (places[header], key, words_for_nothing(key, specs.get(key)), _reads_numbers(specs.get(key)))
            for key, header in self.column_of.items()
            if key not in pseudo and (joined is None or key not in joined.keys)
        ]
        self._names = [
            places[self.column_of[key]] for key in (FIRST_NAME, LAST_NAME) if key in pseudo and key in self.column_of
        ]
        self._naming = [(key, places[self.column_of[key]]) for key in sorted(naming) if key in self.column_of]
        self._id = places[self.column_of[RECORD_ID]] if RECORD_ID in self.column_of else None
        if self._names:
            self.column_of.setdefault("name", headers[self._names[0]])

    def form_data(self, cells: Sequence[Cell]) -> JsonObject:
        """Return the formData of a row without its empty cells, words for nothing and fields that several columns
        feed."""
        form = {}
        for index, key, nothing, takes_numbers in self._fields:
            cell = cells[index]
            if cell is not None and cell not in nothing:
                form[key] = cell if takes_numbers and type(cell) in (int, float) else cell_text(cell)
        if self._names:
            parts = (cells[index] for index in self._names)
            name = _full_name([cell_text(cell) for cell in parts if cell is not None and cell not in ERRORS])
            if name:
                form["name"] = name
        return form

    def record_id(self, cells: Sequence[Cell]) -> str:
        """Return the _id of the record that the row names; empty for none."""
        cell = None if self._id is None else cells[self._id]
        return "" if cell is None or cell in IN_VALUES else cell_text(cell).strip()

    def naming_texts(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return key -> the text of its cell, for the non-empty cells that name other records."""
        texts = {
            key: " ".join(cell_text(cell).split())
            for key, place in self._naming
            if (cell := cells[place]) is not None and cell not in IN_VALUES
        }
        return {key: text for key, text in texts.items() if text}


def _full_name(parts: Sequence[str]) -> str:
    """Join a first and a last name; Chinese, Japanese and Korean names have the family name first, without a space."""
    if len(parts) == 2 and all(map(EASTERN_NAME.fullmatch, parts)):
        return parts[1] + parts[0]
    return " ".join(parts)


def _reads_numbers(spec: FieldSpec | None) -> bool:
    return spec is not None and spec.value_type.name == "number"


def cell_text(cell: Cell) -> str:
    """Return a cell as text, the same for a workbook and a CSV, without the apostrophe that marks text in
    spreadsheets."""
    if type(cell) is str:
        return restore(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return repr(cell)
    return cell.isoformat() if cell is not None else ""  # type: ignore[union-attr]
