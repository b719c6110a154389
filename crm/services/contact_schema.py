"""What a company's contacts consist of, and the one reader of formData for the API and for imports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from accounts.models import Company, Member
from core.addresses import BadAddress, read_country_code, read_email, read_phone
from core.errors import shorten
from core.tenancy import company_id
from crm.fields import BadValue, FieldSpec, Reference, TextFormat, make_spec
from crm.fields.base import plain_text
from crm.fields.values import clean_text
from crm.models import CustomField, File

MAX_NAME = 300
SYSTEM_COLUMNS = {"name": "name", "email": "email", "countryCode": "country_code", "number": "number"}
"""formData key of a system field -> column of the contact."""
PHONE_KEYS = frozenset({"countryCode", "number"})

REQUIRED, UNKNOWN, BAD_CUSTOM, BAD_SYSTEM = (
    "ContactDataRequired_400",
    "InvalidCustomField_400",
    "InvalidCustomFieldValue_400",
    "InvalidSystemField_400",
)


class ValueProblem(NamedTuple):
    """What is wrong with one value: its formData key, the error's name, and the reason."""

    key: str
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}"


@dataclass(slots=True)
class ContactRow:
    """A contact to be written. A key that is absent was not given; None empties the value.

    `system` has columns (name, email, country_code, number, contact_number), `custom` has uniqueFieldIDs. An empty `category_id` takes the
    category away. `index` is the caller's own number.
    """

    system: dict[str, Any] = field(default_factory=dict)
    custom: dict[str, Any] = field(default_factory=dict)
    category_id: str | None = None
    tag_ids: Sequence[str] | None = None
    index: int = 0


@dataclass(slots=True)
class ContactSchema:
    """The fields of the active company's contacts, read once for any number of rows."""

    company_id: str
    unique_key: str
    fields: dict[str, FieldSpec]
    """Custom fields by uniqueFieldID."""
    required_system: tuple[str, ...]
    required_custom: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    referring: tuple[str, ...] = ()
    """Keys of the custom fields whose values may name members or files."""

    @classmethod
    def load(cls) -> ContactSchema:
        """The schema of the active company: two queries."""
        owner = company_id()
        unique_key = Company.objects.values_list("contact_unique_key", flat=True).get(pk=owner)
        rows = CustomField.objects.filter(panel=CustomField.Panel.CONTACT).order_by("order", "created_at", "id")
        required = {"email": True, "countryCode": True, "number": True}
        specs: dict[str, FieldSpec] = {}
        for row in rows:
            if row.is_system:
                required[row.unique_field_id] = row.required
            else:
                specs[row.unique_field_id] = spec_of(row)
        return cls(
            company_id=owner,
            unique_key=unique_key,
            fields=specs,
            required_system=tuple(key for key in SYSTEM_COLUMNS if required.get(key)),
            required_custom=tuple(key for key, spec in specs.items() if spec.required),
            defaults={key: spec.default for key, spec in specs.items() if spec.default is not None},
            referring=tuple(key for key, spec in specs.items() if _may_refer(spec)),
        )

    def keys_of(self, system: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """What makes a contact unique, as (email_key, number_key); the part that is not in the company's unique key is None."""
        email = system.get("email") if self.unique_key != Company.UniqueKey.NUMBER else None
        number = system.get("contact_number") if self.unique_key != Company.UniqueKey.EMAIL else None
        return (email_key(email) if email else None, number or None)

    def stored_custom(self, row: ContactRow) -> dict[str, Any]:
        """The custom values of a new contact: defaults where nothing was given, and no empty ones."""
        return {key: value for key, value in (self.defaults | row.custom).items() if value is not None}

    def read(
        self,
        form_data: Mapping[str, Any],
        *,
        partial: bool = False,
        drop_invalid: bool = False,
        from_text: bool | TextFormat = False,
        current: Mapping[str, Any] | None = None,
        index: int = 0,
    ) -> tuple[ContactRow | None, list[ValueProblem]]:
        """A formData as a row, and all that is wrong with it; no row when it cannot be written.

        `partial`: an update, where only what is given counts (`current` holds the contact's columns, so that a dial prefix and a number
        may come alone). `drop_invalid`: invalid values are left out instead, as long as nothing required is among them. `from_text`: values
        are cells of a file, and empty ones count as not given.
        """
        row = ContactRow(index=index)
        problems: list[ValueProblem] = []
        how = from_text if isinstance(from_text, TextFormat) else TextFormat() if from_text else None
        _read_name_and_email(form_data, row, problems, how)
        _read_number(form_data, row, problems, how, current or {})
        fields = self.fields
        for key, value in form_data.items():
            if key in SYSTEM_COLUMNS:
                continue
            spec = fields.get(key)
            if spec is None:
                problems.append(ValueProblem(shorten(key, 100), UNKNOWN, "there is no such field"))
                continue
            try:
                cleaned = spec.clean(value) if how is None else spec.parse(value, how)
            except BadValue as error:
                problems.append(ValueProblem(key, BAD_CUSTOM, str(error)))
                continue
            if cleaned is not None or how is None:
                row.custom[key] = cleaned
        fatal = self._missing(row, form_data, {problem.key for problem in problems}, partial, drop_invalid)
        if fatal or (problems and not drop_invalid):
            return None, [*fatal, *problems]
        return row, problems

    def _missing(
        self, row: ContactRow, data: Mapping[str, Any], invalid: set[str], partial: bool, drop_invalid: bool
    ) -> list[ValueProblem]:
        """Required values that the row lacks, or would lack once its invalid values are left out."""
        found = []
        for key in self.required_system:
            column = SYSTEM_COLUMNS[key]
            if row.system.get(column):
                continue
            if partial:
                if column in row.system:
                    found.append(ValueProblem(key, BAD_SYSTEM, "is required and cannot be empty"))
            elif key in invalid or (key in PHONE_KEYS and invalid & PHONE_KEYS and data.get(key) not in (None, "")):
                if drop_invalid:
                    found.append(ValueProblem(key, BAD_SYSTEM, "is required, so that its invalid value cannot be left out"))
            else:
                found.append(ValueProblem(key, REQUIRED, "is required"))
        for key in self.required_custom:
            emptied = key in row.custom and row.custom[key] is None
            if emptied:
                found.append(ValueProblem(key, BAD_CUSTOM if partial else REQUIRED, "is required and cannot be empty"))
            elif partial or key in row.custom or key in self.defaults:
                continue
            elif key not in invalid:
                found.append(ValueProblem(key, REQUIRED, "is required"))
            elif drop_invalid:
                found.append(ValueProblem(key, BAD_CUSTOM, "is required, so that its invalid value cannot be left out"))
        return found

    def check_references(self, rows: Sequence[ContactRow], *, drop_invalid: bool = False) -> dict[int, list[ValueProblem]]:
        """The problems (by position in `rows`) with values that name members or files which the company lacks: at most one query a kind.

        With `drop_invalid` such values are taken out of their rows.
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
        known = _existing("member", Member.objects.all(), named) | _existing("file", File.objects.filter(is_deleted=False), named)
        problems: dict[int, list[ValueProblem]] = {}
        for position, key, reference in named:
            if reference not in known:
                message = f"there is no {reference.kind} {reference.id} in this company"
                problems.setdefault(position, []).append(ValueProblem(key, BAD_CUSTOM, message))
                if drop_invalid:
                    rows[position].custom.pop(key, None)
        return problems


def email_key(email: str) -> str:
    """The address in lower case, letter by letter as the database does it (crm.services.contact_keys.rewrite_keys)."""
    return email.lower() if email.isascii() else "".join(letter.lower()[0] for letter in email)


def spec_of(row: CustomField) -> FieldSpec:
    """The field that a CustomField row defines."""
    return make_spec(
        key=row.unique_field_id,
        name=row.name,
        field_type=row.field_type,
        value_type=row.value_type,
        id=row.pk,
        required=row.required,
        default=row.default_value,
        options=row.options,
        children=row.children,
    )


def _may_refer(spec: FieldSpec) -> bool:
    return spec.value_type.name in ("member", "file") or spec.field_type.name == "file" or any(_may_refer(child) for child in spec.children)


def _existing(kind: str, queryset: Any, named: Iterable[tuple[int, str, Reference]]) -> set[Reference]:
    wanted = {reference.id for _, _, reference in named if reference.kind == kind}
    found = queryset.filter(pk__in=wanted).values_list("pk", flat=True) if wanted else ()
    return {Reference(kind, id) for id in found}  # type: ignore[arg-type]


def _read_name_and_email(data: Mapping[str, Any], row: ContactRow, problems: list[ValueProblem], how: TextFormat | None) -> None:
    for key in ("name", "email"):
        if key not in data:
            continue
        value = data[key] if how is None or data[key] is None else plain_text(data[key])
        if isinstance(value, str):
            value = value.strip()
        if value is None or value == "":
            if how is None:
                row.system[key] = "" if key == "name" else None
            continue
        try:
            row.system[key] = " ".join(clean_text(value, MAX_NAME).split()) if key == "name" else read_email(value)
        except (BadValue, BadAddress) as error:
            problems.append(ValueProblem(key, BAD_SYSTEM, str(error)))


def _read_number(
    data: Mapping[str, Any], row: ContactRow, problems: list[ValueProblem], how: TextFormat | None, current: Mapping[str, Any]
) -> None:
    """countryCode and number, which make sense together only."""
    given = {key: data[key] for key in PHONE_KEYS if key in data}
    if how is not None:
        given = {key: plain_text(value).strip() for key, value in given.items() if value is not None and str(value).strip()}
    if not given:
        return
    key = "countryCode"
    try:
        country_code = given.get(key) if key in given else current.get("country_code")
        country_code = None if country_code in (None, "") else read_country_code(country_code)
        key = "number"
        number = given.get(key) if key in given else current.get("number")
        if number in (None, ""):
            row.system.update({SYSTEM_COLUMNS[name]: country_code if name == "countryCode" else None for name in given})
            if "number" in given:
                row.system["contact_number"] = None
            return
        if country_code is None and "countryCode" in given and "number" not in given:
            row.system["country_code"] = None
            return
        if "countryCode" not in given and str(number).lstrip().startswith(("+", "00")):
            country_code = None  # the number brings its own
        phone = read_phone(country_code, number)
    except BadAddress as error:
        problems.append(ValueProblem(key, BAD_SYSTEM, str(error)))
        if key == "number" and "countryCode" in given:
            row.system["country_code"] = country_code
        return
    row.system.update(country_code=phone.country_code, number=phone.number, contact_number=phone.e164)
