"""The options of an import, and the checks of its range of rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, Self

from phonenumbers import SUPPORTED_REGIONS

from core.api.output import to_snake_case
from core.errors import FieldError, NamedError, ValidationFailed, shorten
from core.text.timezones import is_timezone
from core.types import JsonObject, Values
from crm.field_types.dates import format_of

READING = ("delimiter", "encoding", "sheet", "header_row")
"""The options that decide how the file is read, and therefore its headers."""


@dataclass(frozen=True, slots=True)
class Options:
    """Row numbers are those that a spreadsheet program shows (the header is normally row 1). Empty text means
    automatic."""

    row_from: int | None = None
    row_to: int | None = None
    existing: Literal["", "skip", "update", "error"] = ""
    """Treatment of a row whose record exists; empty: the default of the import type."""
    skip_invalid: bool = False
    delimiter: str = ""
    encoding: str = ""
    sheet: str = ""
    header_row: int | None = None
    country: str = ""
    """ISO 3166 code of the country of national phone numbers; empty: the company's."""
    decimal_mark: Literal["", ".", ","] = ""
    date_format: str = ""
    time_zone: str = ""
    """IANA name of the zone of times without an offset; empty: the company's."""

    @classmethod
    def from_stored(cls, values: Values) -> Self:
        """Return the options from their stored form (Import.options), which has the names of the API."""
        return cls(**{to_snake_case(name): value for name, value in values.items()})

    def with_values(self, values: Values) -> Self:
        """Return these options with the given changes (in Python's names); None resets one to its default.

        Raises RowFromGreaterThanRowTo_400, and ValidationFailed for an invalid date format.
        """
        plain = type(self)()
        new = replace(
            self, **{name: getattr(plain, name) if value is None else value for name, value in values.items()}
        )
        if new.row_from and new.row_to and new.row_from > new.row_to:
            raise NamedError(
                "RowFromGreaterThanRowTo_400",
                f"rowFrom {new.row_from} is greater than rowTo {new.row_to}",
                field="options",
            )
        if new.country and new.country not in SUPPORTED_REGIONS:
            raise _refusal("country", f"choose a country, such as DE or US; {shorten(new.country, 40)} is unknown")
        if new.time_zone and not is_timezone(new.time_zone):
            raise _refusal(
                "timeZone", f"enter a time zone, such as Europe/Berlin; {shorten(new.time_zone, 60)} is unknown"
            )
        if new.date_format:
            try:
                format_of(new.date_format)
            except ValueError as error:
                raise _refusal("dateFormat", str(error)) from error
        return new

    def as_json(self) -> JsonObject:
        """Return the differences from the defaults, in the names of the API."""
        plain = asdict(type(self)())
        return {_camel(name): value for name, value in asdict(self).items() if value != plain[name]}

    def reads_same_rows(self, other: Options) -> bool:
        """Return whether the file has the same headers and rows with both options."""
        return all(getattr(self, name) == getattr(other, name) for name in READING)

    def total(self, *, header_row: int, last_row: int, row_count: int) -> int:
        """Return the largest number of rows in the range, which may include blank rows. Raises RowFromOutOfRange_400
        and NoRowsInFile_400."""
        first, last = max(self.row_from or 0, header_row + 1), min(self.row_to or last_row, last_row)
        if self.row_from and self.row_from > last_row:
            raise NamedError(
                "RowFromOutOfRange_400",
                f"rowFrom is {self.row_from}, the file's last row is {last_row}",
                field="options",
            )
        if first > last:
            raise NamedError(
                "NoRowsInFile_400",
                f"the first row below the headers is {header_row + 1}, rowTo is {self.row_to}",
                field="options",
            )
        return min(row_count, last - first + 1)


def _refusal(option: str, problem: str) -> ValidationFailed:
    path = f"options.{option}"
    return ValidationFailed(f"{path}: {problem}", problem, errors=[FieldError(field=path, message=problem)])


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
