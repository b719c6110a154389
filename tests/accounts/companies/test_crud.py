"""GET and PUT /company, POST /api/private/company."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.companies.services import update_company
from accounts.models import Company, Member
from billing.models import Subscription
from core.tenancy import unscoped
from crm.models import CustomField
from tests.kit.cast import KEPT_COMPANIES, Caller, Cast, make_cast, session_headers
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

PROFILE = {
    "name": "Kontor GmbH",
    "email": "Office@kontor.example",
    "contactNumber": {"countryCode": "+49", "number": "030 1234567"},
    "website": "https://kontor.example/de",
    "description": "Freight and <customs>",
    "industry": "Logistics",
    "address": "Am Sandtorkai 1",
    "postalCode": "20457",
    "city": "Hamburg",
    "state": "hamburg",
    "country": "germany",
    "timezone": "Europe/Berlin",
}
SHOWN = {
    **PROFILE,
    "countryCode": "+49",
    "number": "301234567",
    "contactNumber": "+49301234567",
    "state": "HH",
    "country": "DE",
}
NEW = {"name": "Second", "email": "second@kontor.example", "contactNumber": "+49 30 1234567", "timezone": "Asia/Tokyo"}


@pytest.fixture
def private(cast: Cast) -> Caller:
    """The owner of the cast's company, acting for no company."""
    return Caller("/api/private", {"Authorization": session_headers(cast.owner)["Authorization"]})


def test_the_profile_of_a_new_company(cast: Cast) -> None:
    for caller in (cast.key, cast.session):
        shown = caller.get("/company").data
        assert (shown["_id"], shown["name"], shown["email"]) == (cast.company.pk, cast.company.name, cast.company.email)
        assert (shown["timezone"], shown["contactUniqueKey"], shown["contactNumber"]) == ("UTC", "either", "")
        assert set(SHOWN) < set(shown)


def test_put_changes_what_is_given(cast: Cast) -> None:
    answer = cast.session.put("/company", PROFILE)
    assert (answer.status, answer.body["message"]) == (200, "Company updated.")
    assert {name: answer.data[name] for name in SHOWN} == SHOWN
    answer = cast.key.put("/company", {"city": "", "contactNumber": "+1 212 555 0123"})
    changed = {**SHOWN, "city": "", "countryCode": "+1", "number": "2125550123", "contactNumber": "+12125550123"}
    assert {name: answer.data[name] for name in SHOWN} == changed
    answer = cast.key.put("/company", {"contactNumber": "", "email": ""})
    assert (answer.data["contactNumber"], answer.data["email"], answer.data["industry"]) == ("", "", "Logistics")
    assert cast.key.get("/company").data == answer.data


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"country": "DEU", "state": "BY"}, ("DE", "BY")),
        ({"country": "de", "state": "de-by"}, ("DE", "BY")),
        ({"country": "Deutschland", "state": "Bayern"}, ("DE", "BY")),
        ({"country": "United States", "state": "new york"}, ("US", "NY")),
        ({"country": "AQ"}, ("AQ", "")),
        ({"country": "", "state": ""}, ("", "")),
    ],
)
def test_places_are_kept_as_codes(cast: Cast, given: dict[str, str], kept: tuple[str, str]) -> None:
    shown = cast.key.put("/company", given).data
    assert (shown["country"], shown["state"]) == kept


def test_a_state_is_one_of_the_country(cast: Cast) -> None:
    refused = cast.key.put("/company", {"state": "BY"})
    assert (refused.status, refused.body["message"]) == (400, "State or region not found in this country.")
    cast.key.put("/company", {"country": "DE", "state": "BY"})
    refused = cast.key.put("/company", {"country": "FR", "city": "Paris"})
    assert refused.body["message"] == "State or region not found in this country."
    assert "France" in refused.body["warning"]
    shown = cast.key.put("/company", {"state": "hh"}).data
    assert (shown["country"], shown["state"], shown["city"]) == ("DE", "HH", "")
    assert cast.key.put("/company", {"country": "FR", "state": "IDF"}).data["state"] == "IDF"
    assert cast.key.put("/company", {"state": ""}).data["country"] == "FR"
    assert cast.key.put("/company", {"country": "Atlantis"}).body["message"] == "Country not found."


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"email": "office"}, "email"),
        ({"website": "kontor.example"}, "website"),
        ({"website": "javascript:alert(1)"}, "website"),
        ({"contactNumber": "12345"}, "contactNumber"),
        ({"contactNumber": {"countryCode": "+49"}}, "contactNumber"),
        ({"contactNumber": {"countryCode": "+49", "number": "1"}}, "contactNumber"),
        ({"contactNumber": {"countryCode": "+999", "number": "301234567"}}, "contactNumber"),
        ({"contactNumber": {"countryCode": "+49", "number": "+1 212 555 0123"}}, "contactNumber"),
        ({"contactNumber": 49301234567}, "contactNumber"),
        ({"country": 49}, "country"),
        ({"plan": "gold"}, "plan"),
    ],
)
def test_bad_values_are_refused_by_name(cast: Cast, body: dict[str, Any], words: str) -> None:
    before = cast.key.get("/company").data
    answer = cast.key.put("/company", {"industry": "Trade", **body})
    assert answer.status == 400
    assert words in answer.body["warning"]
    assert cast.key.get("/company").data == before


def test_what_the_profile_shows_and_cannot_be_written_is_refused(cast: Cast) -> None:
    before = cast.key.get("/company").data
    answer = cast.key.put("/company", {"contactUniqueKey": "email", "_id": "0" * 24})
    assert (answer.status, [one["field"] for one in answer.body["errors"]]) == (400, ["contactUniqueKey", "_id"])
    assert cast.key.get("/company").data == before


@pytest.mark.parametrize("name", ["Mars/Olympus", "europe/berlin", "localtime", "../../etc/passwd"])
def test_an_unknown_time_zone(cast: Cast, private: Caller, name: str) -> None:
    for answer in (cast.key.put("/company", {"timezone": name}), private.post("/company", {**NEW, "timezone": name})):
        assert (answer.status, answer.body["message"]) == (400, "Choose a time zone from the list.")
    assert cast.key.get("/company").data["timezone"] == "UTC"
    assert Company.objects.count() == KEPT_COMPANIES


def test_a_company_without_a_subscription_says_how_it_is_opened(cast: Cast, private: Caller) -> None:
    first = private.post("/company", NEW)
    assert (first.status, "warning" in first.body) == (200, False)
    second = private.post("/company", NEW)
    assert second.status == 200
    assert "no active subscription" in second.body["warning"]
    assert "opened by paying" in second.body["warning"]


def test_who_may(cast: Cast, outsiders: Cast) -> None:
    assert cast.narrow_session.get("/company").status == 403
    reader = make_cast({"company": {"GET": True}}).narrow_session
    assert reader.get("/company").status == 200
    assert reader.put("/company", {"name": "Mine"}).status == 403
    cast.key.put("/company", {"name": "Renamed"})
    assert outsiders.key.get("/company").data["name"] == outsiders.company.name


def test_a_lapsed_company_reads_and_writes_its_profile(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.all().delete()
    for caller, name in ((cast.key, "One"), (cast.session, "Two")):
        assert caller.put("/company", {"name": name}).data["name"] == name
        assert caller.get("/company").data["name"] == name
    assert cast.key.get("/contact").status == 500


@pytest.mark.django_db(transaction=True)
def test_changes_made_at_once_all_stay() -> None:
    cast = make_cast()
    changes = [
        {"name": "New"},
        {"city": "Bern"},
        {"country": "CH"},
        {"industry": "Cheese"},
        {"website": "https://bern.example"},
    ]
    at_once(len(changes), cast.company.pk, lambda number: update_company(changes=changes[number]))
    shown = cast.key.get("/company").data
    assert [shown[name] for name in ("name", "city", "country", "industry", "website")] == [
        "New",
        "Bern",
        "CH",
        "Cheese",
        "https://bern.example",
    ]


def test_a_user_opens_a_further_company(cast: Cast, private: Caller) -> None:
    answer = private.post("/company", NEW)
    assert (answer.status, answer.body["message"]) == (200, "Company created.")
    made = answer.data
    assert (made["name"], made["email"], made["timezone"], made["contactNumber"]) == (
        "Second",
        "second@kontor.example",
        "Asia/Tokyo",
        "+49301234567",
    )
    assert made["_id"] != cast.company.pk
    with unscoped(reason="test: the new company's rows"):
        member = Member.objects.get(pk=made["member"]["_id"])
        assert (member.company_id, member.user_id, member.status) == (made["_id"], cast.owner.user_id, "owner")
        assert CustomField.objects.filter(company_id=made["_id"], is_system=True).exists()
    own = Caller("/api/protected", {**private.headers, "authmember": member.pk})
    assert own.get("/settings").data["timezone"] == "Asia/Tokyo"
    assert own.get("/company").data["_id"] == made["_id"]


def test_a_user_without_any_company_opens_one(cast: Cast) -> None:
    from accounts.auth.sessions import tokens

    caller = Caller("/api/private", {"Authorization": f"Bearer {tokens.issue(UserFactory()).access}"})
    assert caller.post("/company", NEW).data["member"]["status"] == "owner"


@pytest.mark.parametrize("missing", list(NEW))
def test_what_a_new_company_needs(private: Caller, missing: str) -> None:
    answer = private.post("/company", {name: value for name, value in NEW.items() if name != missing})
    assert answer.status == 400
    assert missing in answer.body["warning"]
    assert Company.objects.count() == KEPT_COMPANIES


@pytest.mark.parametrize(
    "changed", [{"email": "x"}, {"contactNumber": ""}, {"contactNumber": "030 1234567"}, {"owner": "me"}]
)
def test_a_new_company_s_values_are_checked(private: Caller, changed: dict[str, Any]) -> None:
    answer = private.post("/company", {**NEW, **changed})
    assert answer.status == 400
    assert next(iter(changed)) in answer.body["warning"]


def test_a_company_is_opened_by_a_session_alone(cast: Cast) -> None:
    for headers in ({}, {"apikey": cast.api_key.key}, {"Authorization": "Bearer nonsense"}):
        assert Caller("/api/private", headers).post("/company", NEW).status == 401
    assert Company.objects.count() == KEPT_COMPANIES
