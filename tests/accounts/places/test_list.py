"""ALL /api/private/country-state-city and GET /api/private/timezones."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.places import data as places
from core.text.timezones import timezone_names
from tests.kit.cast import Caller, Cast, session_headers

PATH = "/country-state-city"


@pytest.fixture
def private(cast: Cast) -> Caller:
    return Caller("/api/private", {"Authorization": session_headers(cast.owner)["Authorization"]})


def test_countries(private: Caller) -> None:
    found = private.get(PATH).data
    assert list(found) == ["countries"]
    countries = {country["iso2"]: country for country in found["countries"]}
    assert len(countries) == len(found["countries"]) == 250
    assert countries["DE"] == {
        "name": "Germany",
        "native": "Deutschland",
        "iso2": "DE",
        "iso3": "DEU",
        "phoneCode": "+49",
        "currency": "EUR",
        "flag": "🇩🇪",
        "timezones": ["Europe/Berlin", "Europe/Busingen"],
    }
    names = [country["name"].casefold() for country in found["countries"]]
    assert names == sorted(names)
    assert {zone for country in found["countries"] for zone in country["timezones"]} <= timezone_names()


@pytest.mark.parametrize("text", ["DE", "de", "deu", "Germany", "gErmany", "deutschland", " de "])
def test_states(private: Caller, text: str) -> None:
    found = private.get(PATH, country=text).data
    assert (list(found), found["country"]["iso2"], len(found["states"])) == (["country", "states"], "DE", 16)
    assert found["states"][1] == {"name": "Bavaria", "native": "Bayern", "code": "BY", "type": "land"}


@pytest.mark.parametrize("text", ["BY", "by", "de-BY", "bavaria", "Bayern"])
def test_cities(private: Caller, text: str) -> None:
    found = private.get(PATH, country="Germany", state=text).data
    assert (list(found), found["country"]["name"], found["state"]["code"]) == (
        ["country", "state", "cities"],
        "Germany",
        "BY",
    )
    names = [city["name"] for city in found["cities"]]
    assert "Nuremberg" in names or "Nürnberg" in names
    assert len(set(names)) == len(names) > 1000


def test_every_state_of_the_data_can_be_read() -> None:
    """Also Cornwall, whose code CON no folder may bear on some systems."""
    country = places.find_country("GB")
    assert "Truro" in places.cities("GB", places.find_state(country, "con").code)
    for country in places.countries():
        for state in places.states(country.iso2):
            assert places.find_state(country, state.code) == state


def test_a_country_that_is_not_divided(private: Caller) -> None:
    assert private.get(PATH, country="AQ").data["states"] == []
    assert private.get(PATH, country="AQ", state="BY").body["message"] == "State or region not found in this country."


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_answers_the_same(private: Caller, method: str) -> None:
    answer = private.call(method, PATH, {} if method != "GET" else None, {"country": "CH", "state": "BE"})
    assert answer.status == 200
    assert (answer.data["country"]["iso2"], answer.data["state"]["name"]) == ("CH", "Bern")
    assert answer.body == private.get(PATH, country="CH", state="BE").body


@pytest.mark.parametrize(
    "text", ["Atlantis", "XX", "..", "../..", "by-country/DE", "/etc/passwd", "DE/../FR", "\0", "ß" * 500, "{}"]
)
def test_unknown_places(private: Caller, text: str) -> None:
    answer = private.get(PATH, country=text)
    assert (answer.status, answer.body["message"]) == (400, "Country not found.")
    answer = private.get(PATH, country="DE", state=text)
    assert (answer.status, answer.body["message"]) == (400, "State or region not found in this country.")


def test_a_state_needs_its_country(private: Caller) -> None:
    answer = private.get(PATH, state="BY")
    assert (answer.status, answer.body["message"]) == (400, "Country not found.")


def test_memory_is_bounded() -> None:
    places.cities.cache_clear()
    for country in places.countries()[:60]:
        for state in places.states(country.iso2):
            places.cities(country.iso2, state.code)
    assert places.cities.cache_info().currsize == places.CITIES_KEPT
    assert places.cities.cache_info().misses > 5 * places.CITIES_KEPT


def zones_on(cast: Cast, day: datetime) -> list[dict[str, Any]]:
    with time_machine.travel(day, tick=False):
        caller = Caller("/api/private", {"Authorization": session_headers(cast.owner)["Authorization"]})
        return list(caller.get("/timezones").data["timezones"])


def test_time_zones(cast: Cast) -> None:
    answer = zones_on(cast, datetime(2026, 12, 1, 12, tzinfo=UTC))
    winter = {zone["name"]: zone for zone in answer}
    summer = {zone["name"]: zone for zone in zones_on(cast, datetime(2026, 7, 1, 12, tzinfo=UTC))}
    assert set(winter) == zoneinfo.available_timezones() - {"Factory", "localtime"}
    assert summer["Europe/Berlin"] == {"name": "Europe/Berlin", "offset": 120, "label": "(UTC+02:00) Europe/Berlin"}
    assert winter["Europe/Berlin"] == {"name": "Europe/Berlin", "offset": 60, "label": "(UTC+01:00) Europe/Berlin"}
    assert (winter["Asia/Kolkata"]["offset"], winter["Asia/Kolkata"]["label"]) == (330, "(UTC+05:30) Asia/Kolkata")
    assert winter["America/St_Johns"]["label"] == "(UTC-03:30) America/St_Johns"
    assert answer == sorted(answer, key=lambda zone: (zone["offset"], zone["name"]))


def test_time_zones_of_a_country(private: Caller) -> None:
    names = [zone["name"] for zone in private.get("/timezones", country="ukraine").data["timezones"]]
    assert "Europe/Kyiv" in names
    assert "Europe/Berlin" not in names
    assert private.get("/timezones", country="Atlantis").body["message"] == "Country not found."


def test_a_session_alone_opens_them(cast: Cast) -> None:
    for path in (PATH, "/timezones"):
        assert Caller("/api/private", {}).get(path).status == 401
        assert Caller("/api/private", {"apikey": cast.api_key.key}).get(path).status == 401
