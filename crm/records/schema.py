"""The fields of a panel's records, and the reader of formData for the API and for imports.

Each panel adds its system fields.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, Self

from accounts.settings.formats import formats_of
from core.errors import GONE, shorten
from core.tenancy import company_id
from core.text.folding import shows_nothing
from core.text.formats import Formats
from core.types import JsonObject, Values
from crm.field_types import BadValue, FieldSpec, TextFormat
from crm.records.datetimes import read_day
from crm.records.kinds import RecordKind
from crm.records.locks import lock_fields_shared
from crm.records.models import CustomField
from crm.records.problems import MISSING_VALUE, ValueProblem, problems_error
from crm.records.references import known_references
from crm.records.stored_fields import may_refer, spec_of, stored_fields

REQUIRED = "ContactDataRequired_400"
UNKNOWN = "InvalidCustomField_400"
BAD_CUSTOM = "InvalidCustomFieldValue_400"
BAD_SYSTEM = "InvalidSystemField_400"
NEVER_EMPTY = "cannot be empty"


@dataclass(slots=True)
class RecordRow:
    """A record to be written. A key that is absent was not given; None empties the value.

    `system` has columns, `custom` has uniqueFieldIDs. `index` is the caller's own number.
    """

    system: JsonObject = field(default_factory=dict)
    custom: JsonObject = field(default_factory=dict)
    tag_ids: Sequence[str] | None = None
    index: int = 0
    typed: list[JsonObject] | None = None
    """Its rows of the value table as a new record, if they were made beforehand (crm.records.values)."""
    record_id: str = ""
    """The record that the row itself names; empty for one that is found by its values or made."""
    own_id: str = ""
    """The _id of a new record that was one elsewhere; empty for one that gets its own."""
    from_text: bool = False
    """It was read from the cells of a file, which lose blanks around a text."""


@dataclass(slots=True)
class RecordSchema:
    """The fields of a panel of the active company, read once for any number of rows.

    Each kind of records has a subclass.
    """

    kind: ClassVar[RecordKind]
    read_apart: ClassVar[Container[str]] = ()
    """System fields that the kind's schema reads itself."""
    row_class: ClassVar[type[RecordRow]] = RecordRow
    required_name: ClassVar[str] = REQUIRED
    """The error of a required value that is missing."""

    company_id: str
    fields: dict[str, FieldSpec]
    """Custom fields by uniqueFieldID."""
    system_fields: dict[str, FieldSpec]
    """System fields by their key in formData, with the company's settings (required, default, options)."""
    required_system: tuple[str, ...] = ()
    """formData keys of the system fields that a record must have."""
    system_defaults: JsonObject = field(default_factory=dict)
    """Column -> the value of a new record for which none was given."""
    required_custom: tuple[str, ...] = ()
    defaults: JsonObject = field(default_factory=dict)
    referring: tuple[str, ...] = ()
    """Keys of the custom fields whose values may name members or files."""
    pending: bool = False
    """Values of a field wait to be written into their records (crm.records.pending)."""
    formats: Formats | None = None
    """The company's formats, read when a value needs them."""

    @classmethod
    def load(cls) -> Self:
        """Load the schema of the active company.

        In a transaction, its fields stay locked against changes until the end.
        """
        # Shared, so that any number of writers go on at once. Only a change of
        # the fields waits for all of them.
        lock_fields_shared()
        return cls.of(stored_fields(cls.kind.panel))

    @classmethod
    def of(cls, rows: Iterable[CustomField]) -> Self:
        """Return the schema that consists of the panel's fields among the rows, which are in order."""
        rows = [row for row in rows if row.panel == cls.kind.panel]
        specs: dict[bool, dict[str, FieldSpec]] = {True: {}, False: {}}
        for row in rows:
            specs[row.is_system][row.unique_field_id] = spec_of(row)
        custom = specs[False]
        return cls(
            company_id=company_id(),
            fields=custom,
            system_fields=specs[True],
            required_custom=tuple(key for key, spec in custom.items() if spec.required),
            defaults={key: spec.default for key, spec in custom.items() if spec.default is not None},
            referring=tuple(key for key, spec in custom.items() if may_refer(spec)),
            pending=any(row.pending for row in rows),
        )

    def read(
        self,
        form_data: Values,
        *,
        partial: bool = False,
        drop_invalid: bool = False,
        from_text: bool | TextFormat = False,
        current: Values | None = None,
        index: int = 0,
        exists: bool = False,
    ) -> tuple[Any, list[ValueProblem]]:
        """Read a formData into a row. Return the row, or None if it cannot be written, and all problems.

        `partial` reads an update, in which only the given values count; `current` then has the record's columns.
        `drop_invalid` omits invalid values instead, unless they are required.

        `from_text` reads the cells of a file, in which empty ones count as not given. With `exists` they are those of
        an existing record, which may lack required values.
        """
        row = self.row_class(index=index, from_text=bool(from_text))
        problems: list[ValueProblem] = []
        how: TextFormat | None = None
        if isinstance(from_text, TextFormat):
            how = from_text
        elif from_text:
            how = TextFormat()
        self.read_system(form_data, row, problems, how, current or {})
        self.read_custom(form_data, row, problems, how, self.known_keys(partial))
        if partial and how is None:
            for key in self.kind.never_empty:
                if key in form_data and form_data[key] is not False and shows_nothing(str(form_data[key] or "")):
                    problems.append(ValueProblem(key, BAD_SYSTEM, NEVER_EMPTY))
                    row.system.pop(self.columns[key], None)
        self.read_related(form_data, row, problems, how, partial=partial, drop_invalid=drop_invalid)
        invalid = {problem.key for problem in problems}
        fatal = [] if exists else self.missing(row, form_data, invalid, partial=partial, drop_invalid=drop_invalid)
        if fatal or (problems and not drop_invalid):
            return None, [*fatal, *problems]
        return row, problems

    def read_date(self, text: str) -> date | None:
        """Read a day in the company's own format, or return None for any other text."""
        if self.formats is None:
            self.formats = formats_of(self.company_id)
        return read_day(self.formats, text)

    def known_keys(self, partial: bool) -> Iterable[str]:
        """Return the keys of a formData that are no custom fields."""
        return self.columns

    def read_related(
        self,
        form_data: Values,
        row: Any,
        problems: list[ValueProblem],
        how: TextFormat | None,
        *,
        partial: bool,
        drop_invalid: bool,
    ) -> None:
        """Put the values of a related record into the row. By default formData has none."""

    @property
    def columns(self) -> Mapping[str, str]:
        """formData key of a system field -> column of the record."""
        return self.kind.system_columns

    @property
    def names(self) -> Mapping[str, str]:
        """Column -> name in the API, of the columns in events."""
        return self.kind.names

    def lock_unique_values(self) -> None:
        """Lock the unique values of records until the transaction ends, before many are written.

        By default a type has none.
        """

    def lock_references(self) -> None:
        """Keep the referenced records from deletion until the transaction ends, before the rows are locked.

        By default nothing needs it.
        """

    def lock_for_merge(self) -> None:
        """Wait for other merges, and for bulk writers whose records a merge may need next."""
        self.lock_references()
        self.lock_unique_values()

    def derive(self, columns: Values) -> JsonObject:
        """Return the derived columns of a record with these columns, without those that triggers maintain."""
        return {}

    def settle(self, was: Values, now: Values) -> JsonObject:
        """Return the columns that have to change with those that differ between `was` and `now`; a new record `was`
        nothing."""
        return {}

    def place_of(self, columns: Values) -> JsonObject:
        """Return the columns that place a restored record, if its own place is gone."""
        return {}

    def claims(self, columns: Values) -> dict[str, str]:
        """Return part of the unique key (RecordKind.unique) of a live record with these columns -> its value."""
        return {}

    def check_merged(self, id: str, before: Values, after: Values) -> None:
        """Refuse columns that the winner of a merge cannot have, by the error's name. By default it can have all."""

    def emptied(self, key: str) -> JsonObject:
        """Return the empty values of a system field's columns."""
        return self.kind.emptied(self.columns[key])

    def stored_custom(self, row: RecordRow) -> JsonObject:
        """Return the custom values of a new record: given values and defaults, without empty ones."""
        return {key: value for key, value in (self.defaults | row.custom).items() if value is not None}

    def read_system(
        self,
        form_data: Values,
        row: RecordRow,
        problems: list[ValueProblem],
        how: TextFormat | None,
        current: Values,
    ) -> None:
        """Put the system values of formData into the row, by the definitions of their fields."""
        for key, column in self.columns.items():
            if key not in form_data or key in self.read_apart:
                continue
            spec = self.system_fields.get(key)
            if spec is None:
                problems.append(ValueProblem(key, UNKNOWN, "there is no such field"))
                continue
            try:
                value = (
                    spec.read(form_data[key], self.read_date)
                    if how is None
                    else spec.parse(form_data[key], how.of(key))
                )
                if value is not None:
                    row.system[column] = self.fit(key, value)
                elif how is None:
                    row.system.update(self.emptied(key))
            except BadValue as error:
                problems.append(ValueProblem(key, BAD_SYSTEM, str(error), code=error.code))

    def fit(self, key: str, value: Any) -> Any:
        """Convert a system value for its column. Raises BadValue for one that does not fit."""
        return value

    def missing(
        self,
        row: Any,
        form_data: Values,
        invalid: set[str],
        *,
        partial: bool = False,
        drop_invalid: bool = False,
    ) -> list[ValueProblem]:
        """Return the problems of required values that the row lacks, or would lack without its invalid values.

        `invalid` has the keys of the invalid values.
        """
        return self.missing_system(row, invalid, partial, drop_invalid) + self.missing_custom(
            row, invalid, partial, drop_invalid
        )

    def missing_system(
        self, row: RecordRow, invalid: set[str], partial: bool, drop_invalid: bool
    ) -> list[ValueProblem]:
        """Return the problems of required system values that are missing, or would be without the invalid ones."""
        problems = []
        for key in self.required_system:
            column = self.columns[key]
            if column in row.system and row.system[column] in (None, ""):
                name = BAD_SYSTEM if partial else self.required_name
                problems.append(ValueProblem(key, name, "is required and cannot be empty", code=MISSING_VALUE))
            elif partial or column in row.system or column in self.system_defaults:
                # An update gives what it changes; omitted fields keep their stored values.
                continue
            elif key not in invalid:
                problems.append(ValueProblem(key, self.required_name, "is required", code=MISSING_VALUE))
            elif drop_invalid:
                problem = "is required, so that its invalid value cannot be left out"
                problems.append(ValueProblem(key, BAD_SYSTEM, problem, code=MISSING_VALUE))
        return problems

    def read_custom(
        self,
        form_data: Values,
        row: RecordRow,
        problems: list[ValueProblem],
        how: TextFormat | None,
        system_keys: Iterable[str],
    ) -> None:
        """Put the custom values of formData into the row.

        Keys in `system_keys` are not custom; any other unknown key is a problem.
        """
        for key, value in form_data.items():
            if key in system_keys:
                continue
            spec = self.fields.get(key)
            if spec is None:
                problems.append(ValueProblem(shorten(key, 100), UNKNOWN, "there is no such field"))
                continue
            try:
                cleaned = spec.read(value, self.read_date) if how is None else spec.parse(value, how.of(key))
            except BadValue as error:
                problems.append(ValueProblem(key, BAD_CUSTOM, str(error), spec.name, error.code))
                continue
            if cleaned is not None or how is None:
                row.custom[key] = cleaned

    def missing_custom(
        self, row: RecordRow, invalid: set[str], partial: bool, drop_invalid: bool
    ) -> list[ValueProblem]:
        """Return the problems of required custom values that are missing, or would be without the invalid ones."""
        problems = []
        for key in self.required_custom:
            emptied, label = key in row.custom and row.custom[key] is None, self.fields[key].name
            if emptied:
                name = BAD_CUSTOM if partial else self.required_name
                problems.append(ValueProblem(key, name, "is required and cannot be empty", label, MISSING_VALUE))
            elif partial or key in row.custom or key in self.defaults:
                continue
            elif key not in invalid:
                problems.append(ValueProblem(key, self.required_name, "is required", label, MISSING_VALUE))
            elif drop_invalid:
                problem = "is required, so that its invalid value cannot be left out"
                problems.append(ValueProblem(key, BAD_CUSTOM, problem, label, MISSING_VALUE))
        return problems

    def read_record(
        self, form_data: Values, *, partial: bool = False, drop_invalid: bool = False
    ) -> tuple[RecordRow, list[ValueProblem]]:
        """Read a formData and check its references.

        Returns the row and the problems of values that were left out. Raises the first problem by its name.
        """
        row, problems = self.read(form_data, partial=partial, drop_invalid=drop_invalid)
        if row is not None:
            dangling = self.check_references([row], drop_invalid=drop_invalid).get(0, [])
            problems = [*problems, *dangling]
            if drop_invalid or not dangling:
                return row, problems
        raise problems_error(problems)

    def check_references(
        self, rows: Sequence[RecordRow], *, drop_invalid: bool = False
    ) -> dict[int, list[ValueProblem]]:
        """Find values that name members or files which the company lacks, with at most one query per kind.

        Returns position in `rows` -> problems. `drop_invalid` removes such values from their rows.
        """
        if not self.referring:
            return {}
        named = [
            (position, key, reference)
            for position, row in enumerate(rows)
            for key in self.referring
            if row.custom.get(key) is not None
            for reference in self.fields[key].references(row.custom[key])
        ]
        existing = known_references([reference for *_, reference in named])
        problems: dict[int, list[ValueProblem]] = {}
        for position, key, reference in named:
            if reference not in existing:
                message = f"there is no {reference.kind} {reference.id} in this company"
                problem = ValueProblem(key, BAD_CUSTOM, message, self.fields[key].name, GONE)
                problems.setdefault(position, []).append(problem)
                if drop_invalid:
                    rows[position].custom.pop(key, None)
                    # The prepared rows have the value that is left out now, so they are built again.
                    rows[position].typed = None
        return problems


def lower_text(text: str) -> str:
    """Convert the text to lower case, letter by letter as PostgreSQL's lower() does it."""
    # Python lowers some letters to two (the Turkish dotted I), PostgreSQL to one.
    # Keys have to be equal on both sides.
    return text.lower() if text.isascii() else "".join(letter.lower()[0] for letter in text)
