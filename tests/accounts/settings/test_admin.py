"""The back office page of companies' settings."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import CompanySettings, User
from tests.kit.cast import Cast
from tests.kit.html_form import form_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def settings_of(cast: Cast) -> CompanySettings:
    with cast.scope():
        return CompanySettings.objects.get()


def test_lines_are_changed_and_nothing_else(cast: Cast, staff: Client) -> None:
    cast.key.put("/settings", {"teamSettings": {"onlyAvailable": False}, "facebook": "https://facebook.example/us"})
    row = settings_of(cast)
    page = reverse("admin:accounts_companysettings_change", args=[row.pk])
    form = form_data(staff.get(page).content.decode(), "companysettings_form")
    answer = staff.post(page, {**form, "currency": "eur", "app_name": "Kontor"})
    assert answer.status_code == 302
    shown: dict[str, Any] = cast.key.get("/settings").data
    assert (shown["currency"], shown["appName"], shown["dateFormat"]) == ("EUR", "Kontor", "d mmm yyyy")
    assert (shown["teamSettings"]["onlyAvailable"], shown["facebook"]) == (False, "https://facebook.example/us")


def test_what_a_form_did_not_change_stays_as_the_company_made_it(
    cast: Cast, staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = settings_of(cast)
    page = reverse("admin:accounts_companysettings_change", args=[row.pk])
    form = form_data(staff.get(page).content.decode(), "companysettings_form")
    save = CompanySettings.save

    def save_after_the_company(self: CompanySettings, **options: Any) -> None:
        CompanySettings.objects.filter(pk=self.pk).update(currency="CHF", team_settings={"onlyAvailable": False})
        save(self, **options)

    monkeypatch.setattr(CompanySettings, "save", save_after_the_company)
    staff.post(page, {**form, "app_name": "Kontor"})
    row = settings_of(cast)
    assert (row.app_name, row.currency, row.team_settings) == ("Kontor", "CHF", {"onlyAvailable": False})


def test_a_currency_that_is_none(cast: Cast, staff: Client) -> None:
    row = settings_of(cast)
    page = reverse("admin:accounts_companysettings_change", args=[row.pk])
    answer = staff.post(
        page, {**form_data(staff.get(page).content.decode(), "companysettings_form"), "currency": "DEM"}
    )
    assert answer.status_code == 200
    assert "“DEM” is not a currency" in answer.content.decode()
    assert settings_of(cast).currency == "USD"


def test_the_unique_key_of_contacts_has_a_dialog(cast: Cast, staff: Client) -> None:
    page = reverse("admin:accounts_company_ask", args=[cast.company.pk, "change_unique_key"])
    for name in ("ann", "bob"):
        cast.key.put("/settings", {"contactUniqueKey": "email"})
        values = {"email": f"{name}@example.com", "countryCode": "+49", "number": "1701000001"}
        assert cast.key.post("/contact", {"formData": values}).status == 200
    refused = staff.post(page, {"value": "number"})
    assert (refused.status_code, b"2 contacts share 1 values of number" in refused.content) == (200, True)
    cast.key.delete("/contact", {"selectAll": True})
    assert staff.post(page, {"value": "number"}).status_code == 302
    assert cast.key.get("/settings").data["contactUniqueKey"] == "number"
