"""Companies and their owners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone as clock

from accounts.auth.models import User
from accounts.companies.models import Company
from accounts.members.models import Member
from accounts.places.data import find_country, find_state
from core.errors import NamedError
from core.tenancy import company_id, company_scope
from core.tenancy.provisioning import provision_company
from core.text.addresses import Phone
from core.text.timezones import is_timezone


@transaction.atomic
def create_company(*, name: str, owner: User, **profile: Any) -> tuple[Company, Member]:
    """A company with its owner, and with what the apps give to each new one."""
    company = Company.objects.create(name=name, email=profile.pop("email", owner.email), **profile)
    with company_scope(company.pk):
        member = Member.objects.create(
            user=owner, status=Member.Status.OWNER, name=owner.name, email=owner.email, accepted_at=clock.now()
        )
        provision_company()
    return company, member


def open_company(
    *, user_id: str, name: str, email: str, contact_number: Phone, timezone: str
) -> tuple[Company, Member]:
    """A further company of a user, who owns it; InvalidTimezone_400."""
    check_timezone(timezone)
    owner = User.objects.get(pk=user_id)
    return create_company(name=name, owner=owner, email=email, timezone=timezone, **_number(contact_number))


@transaction.atomic
def update_company(*, changes: Mapping[str, Any]) -> None:
    """Change the active company's profile where something is given; an empty text takes the value away.

    Country and state are given by code or name and kept as codes. InvalidTimezone_400, CountryNotFound_400, and StateNotFound_400, also
    when a new country has no such state as the company was in.
    """
    company = Company.objects.select_for_update().get(pk=company_id())
    values = dict(changes)
    if "contact_number" in values:
        values |= _number(values.pop("contact_number"))
    if "timezone" in values:
        check_timezone(values["timezone"])
    if "country" in values or "state" in values:
        values |= _place(values.get("country", company.country), values.get("state", company.state))
    for name, value in values.items():
        setattr(company, name, value)
    company.save(update_fields=[*values, "updated_at"])


def check_timezone(name: str) -> None:
    """Raise InvalidTimezone_400 for a name that the tz database does not have."""
    if not is_timezone(name):
        raise NamedError(
            "InvalidTimezone_400",
            "timezone: write a name of the tz database, such as Europe/Berlin (GET /api/private/timezones)",
        )


def _number(phone: Phone | None) -> dict[str, str]:
    return {"country_code": phone.country_code, "number": phone.number} if phone else {"country_code": "", "number": ""}


def _place(country_text: str, state_text: str) -> dict[str, str]:
    if not country_text:
        if state_text:
            raise NamedError("StateNotFound_400", "state: a state is one of a country; send country too")
        return {"country": "", "state": ""}
    country = find_country(country_text)
    state = find_state(country, state_text).code if state_text else ""
    return {"country": country.iso2, "state": state}
