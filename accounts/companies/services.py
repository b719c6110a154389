"""The profile of a company."""

from __future__ import annotations

from django.db import transaction

from accounts.companies.models import Company
from accounts.places.data import find_country, find_state
from core.errors import NamedError
from core.hooks import Hook
from core.tenancy import company_id
from core.text.addresses import Phone
from core.text.timezones import is_timezone
from core.types import Values


@transaction.atomic
def update_company(*, changes: Values) -> None:
    """Change the given fields of the active company's profile. An empty text clears a field.

    Country and state are given by code or name and stored as codes. Raises InvalidTimezone_400, CountryNotFound_400,
    and StateNotFound_400, also when a new country does not have the company's present state.
    """
    if "timezone" in changes and not Company.objects.filter(pk=company_id(), timezone=changes["timezone"]).exists():
        timezone_changes.send()
    # Country and state are checked against each other, so that no request changes one of them in between.
    company = Company.objects.select_for_update().get(pk=company_id())
    values = dict(changes)
    if "contact_number" in values:
        values |= phone_columns(values.pop("contact_number"))
    if "timezone" in values:
        check_timezone(values["timezone"])
    if "country" in values or "state" in values:
        values |= _place(values.get("country", company.country), values.get("state", company.state))
    for name, value in values.items():
        setattr(company, name, value)
    company.save(update_fields=[*values, "updated_at"])


timezone_changes: Hook[[], None] = Hook(
    __name__,
    "timezone_changes",
    "Before the active company's time zone changes, in that transaction and before the company is locked.",
)

unique_key_changed: Hook[[str], None] = Hook(
    __name__,
    "unique_key_changed",
    "When the field by which the active company's contacts are unique changes, in that transaction. Writes the new"
    " keys, or raises UniqueKeyInvalid_400.",
)


def change_unique_key(value: str) -> None:
    """Change the unique key of the active company's contacts. Raises UniqueKeyInvalid_400 while contacts share a
    value."""
    if value != Company.objects.values_list("contact_unique_key", flat=True).get(pk=company_id()):
        unique_key_changed.send(value)


def check_timezone(name: str) -> None:
    """Raise InvalidTimezone_400 for a name that the tz database does not have."""
    if not is_timezone(name):
        raise NamedError(
            "InvalidTimezone_400",
            "enter a time zone, such as Europe/Berlin",
            field="timezone",
            operation="GET /api/private/timezones",
        )


def phone_columns(phone: Phone | None) -> dict[str, str]:
    """Return the columns of a company that hold its phone number."""
    return {"country_code": phone.country_code, "number": phone.number} if phone else {"country_code": "", "number": ""}


def _place(country_text: str, state_text: str) -> dict[str, str]:
    if not country_text:
        if state_text:
            raise NamedError("StateNotFound_400", "choose the country too", field="state")
        return {"country": "", "state": ""}
    country = find_country(country_text)
    state = find_state(country, state_text).code if state_text else ""
    return {"country": country.iso2, "state": state}
