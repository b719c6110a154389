"""The fields of a company's contacts, and the only reader of their formData for the API and for imports."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from accounts.models import Company
from core.errors import NamedError
from core.text.addresses import BadAddress, is_international, read_country_code, read_email, read_phone
from core.text.folding import shows_nothing, trim_invisible
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT, IDENTITY
from crm.contacts.unique_key import KeyedRow, live_holders, lock_unique_key
from crm.field_types import BadValue, TextFormat
from crm.field_types.base import plain_text
from crm.field_types.values import clean_text
from crm.records.kinds import RecordKind
from crm.records.models import CustomField
from crm.records.problems import MISSING_VALUE, ValueProblem
from crm.records.schema import BAD_SYSTEM, RecordRow, RecordSchema, lower_text

MAX_NAME = 300
SYSTEM_COLUMNS = CONTACT.system_columns
PHONE_KEYS = frozenset({"countryCode", "number"})
NUMBER_COLUMNS = ("country_code", "number", "contact_number")
IS_REQUIRED = "is required"


@dataclass(slots=True)
class ContactRow(RecordRow):
    """A contact to be written: `system` has name, email, country_code, number and contact_number.

    An empty `category_id` removes the category. `company` is the name of the organization in a column of an import.
    """

    category_id: str | None = None
    company: str = ""


@dataclass(slots=True)
class ContactSchema(RecordSchema):
    """The fields of the active company's contacts, and the setting of their unique key."""

    kind: ClassVar[RecordKind] = CONTACT
    row_class: ClassVar[type[RecordRow]] = ContactRow
    read_apart: ClassVar[Container[str]] = IDENTITY

    unique_key: str = Company.UniqueKey.EITHER

    @classmethod
    def load(cls) -> Self:
        """Load the schema of the active company with three statements, the lock among them."""
        schema = super(ContactSchema, cls).load()
        schema.unique_key = Company.objects.values_list("contact_unique_key", flat=True).get(pk=schema.company_id)
        return schema

    @classmethod
    def of(cls, rows: Iterable[CustomField]) -> Self:
        """Return the schema that consists of the rows, whose `unique_key` is still to be set."""
        schema = super(ContactSchema, cls).of(rows)
        required = {"email": True, "countryCode": True, "number": True} | {
            key: spec.required for key, spec in schema.system_fields.items()
        }
        schema.required_system = tuple(key for key in SYSTEM_COLUMNS if required.get(key))
        return schema

    def lock_unique_values(self) -> None:
        lock_unique_key(self, many=True)

    def derive(self, columns: Values) -> JsonObject:
        return dict(zip(("email_key", "number_key"), self.keys_of(columns), strict=True))

    def claims(self, columns: Values) -> dict[str, str]:
        return {part: key for part, key in zip(CONTACT.unique, self.keys_of(columns), strict=True) if key}

    def check_merged(self, id: str, before: Values, after: Values) -> None:
        """Refuse a merged contact without unique key, or with that of another contact."""
        email, number = self.keys_of(after)
        if any(self.keys_of(before)) and not (email or number):
            raise NamedError(
                "CannotUpdateUniqueKey_400", "leave the contact nothing that makes it unique", field="choices"
            )
        for other in live_holders([KeyedRow(id, ContactRow(), email, number)]):
            if other.id != id:
                part = "email" if email and other.email_key == email else "number"
                raise NamedError(
                    CONTACT.exists,
                    "choose another value; a contact outside of ids has this one",
                    field=f"choices.{part}",
                )

    def identified_by(self, key: str) -> bool:
        """Return whether `email`, or `number`, is part of the company's unique key."""
        return self.unique_key != (Company.UniqueKey.NUMBER if key == "email" else Company.UniqueKey.EMAIL)

    def keys_of(self, system: Values) -> tuple[str | None, str | None]:
        """Return the contact's unique key as (email_key, number_key); None for a part that the company does not use."""
        email = system.get("email") if self.identified_by("email") else None
        number = system.get("contact_number") if self.identified_by("number") else None
        return (lower_text(email) if email else None, number or None)

    def read_system(
        self,
        form_data: Values,
        row: RecordRow,
        problems: list[ValueProblem],
        how: TextFormat | None,
        current: Values,
    ) -> None:
        """Put name, address, number and the further system values into the row.

        An update may have only a dial prefix or only a number, combined with the `current` one.
        """
        _read_name_and_email(form_data, row, problems, how)
        _read_number(form_data, row, problems, how, current)
        super(ContactSchema, self).read_system(form_data, row, problems, how, current)

    def read(
        self, form_data: Values, *, from_text: bool | TextFormat = False, **options: Any
    ) -> tuple[Any, list[ValueProblem]]:
        row, problems = super(ContactSchema, self).read(form_data, from_text=from_text, **options)
        return row, without_repeats(problems) if problems and from_text else problems

    def missing(
        self,
        row: Any,
        form_data: Values,
        invalid: set[str],
        *,
        partial: bool = False,
        drop_invalid: bool = False,
    ) -> list[ValueProblem]:
        """Return the problems of required values that the row lacks, or would lack without its invalid values."""
        problems = []
        for key in self.required_system:
            column = SYSTEM_COLUMNS[key]
            if row.system.get(column):
                continue
            if partial:
                if column in row.system:
                    problems.append(
                        ValueProblem(key, BAD_SYSTEM, "is required and cannot be empty", code=MISSING_VALUE)
                    )
            elif key in invalid or (
                key in PHONE_KEYS and invalid & PHONE_KEYS and form_data.get(key) not in (None, "")
            ):
                if drop_invalid:
                    problem = "is required, so that its invalid value cannot be left out"
                    problems.append(ValueProblem(key, BAD_SYSTEM, problem, code=MISSING_VALUE))
            else:
                problems.append(ValueProblem(key, self.required_name, IS_REQUIRED, code=MISSING_VALUE))
        problems += self.missing_custom(row, invalid, partial, drop_invalid)
        if not (partial or problems or invalid and not drop_invalid or _has_value(row)):
            problems.append(ValueProblem("formData", self.required_name, "give at least one value"))
        return problems


def _has_value(row: RecordRow) -> bool:
    """Return whether the row has any value, apart from defaults."""
    return any((*row.system.values(), *(value not in (None, "", [], {}) for value in row.custom.values())))


def without_repeats(problems: list[ValueProblem]) -> list[ValueProblem]:
    """Drop the problem of a missing dial prefix if the number itself is invalid, too."""
    if not any(problem.key == "number" for problem in problems):
        return problems
    missing = ValueProblem("countryCode", RecordSchema.required_name, IS_REQUIRED, code=MISSING_VALUE)
    return [problem for problem in problems if problem != missing]


def without_lone_prefix(system: Values, current: Values) -> Values:
    """Return the columns of an update, without a dial prefix that came alone for a contact that has a number."""
    if "number" in system or not current["number"]:
        return system
    return {column: value for column, value in system.items() if column != "country_code"}


def refuse_lone_prefix(columns: Values) -> None:
    """Refuse to change the dial prefixes of many contacts without their numbers (InvalidSystemField_400)."""
    if columns.get("country_code") and "number" not in columns:
        raise NamedError(BAD_SYSTEM, "enter the number too", field="countryCode")


def _read_name_and_email(data: Values, row: RecordRow, problems: list[ValueProblem], how: TextFormat | None) -> None:
    for key in ("name", "email"):
        if key not in data:
            continue
        value = data[key] if how is None or data[key] is None else plain_text(data[key])
        if isinstance(value, str):
            name = "" if shows_nothing(value) else trim_invisible(value)
            value = name if key == "name" else value.strip()
        if value is None or value == "":
            if how is None:
                row.system[key] = "" if key == "name" else None
            continue
        try:
            row.system[key] = " ".join(clean_text(value, MAX_NAME).split()) if key == "name" else read_email(value)
        except (BadValue, BadAddress) as error:
            problems.append(ValueProblem(key, BAD_SYSTEM, str(error), code=error.code))


def _read_number(
    data: Values,
    row: RecordRow,
    problems: list[ValueProblem],
    how: TextFormat | None,
    current: Values,
) -> None:
    """Read countryCode and number, which belong together."""
    phone_values = {key: data[key] for key in PHONE_KEYS if key in data}
    if how is not None:
        phone_values = {
            key: plain_text(value).strip()
            for key, value in phone_values.items()
            if value is not None and str(value).strip()
        }
    if not phone_values:
        return
    key = "countryCode"
    try:
        country_code = phone_values.get(key) if key in phone_values else current.get("country_code")
        country_code = None if country_code in (None, "") else read_country_code(country_code)
        key = "number"
        number = phone_values.get(key) if key in phone_values else current.get("number")
        if number in (None, ""):
            row.system.update(
                {SYSTEM_COLUMNS[name]: country_code if name == "countryCode" else None for name in phone_values}
            )
            if "number" in phone_values:
                row.system["contact_number"] = None
            return
        if country_code is None and "countryCode" in phone_values and "number" not in phone_values:
            problems.append(
                ValueProblem("countryCode", BAD_SYSTEM, "clear the number too, or enter another country code")
            )
            return
        if "countryCode" not in phone_values and is_international(number):
            country_code = None  # the number brings its own
        phone = read_phone(country_code, number, how.country if how is not None else "")
    except BadAddress as error:
        problems.append(ValueProblem(key, BAD_SYSTEM, str(error), code=error.code))
        if key == "number" and "countryCode" in phone_values:
            row.system["country_code"] = country_code
        return
    row.system.update(country_code=phone.country_code, number=phone.number, contact_number=phone.e164)
