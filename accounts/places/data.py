"""Countries, states and cities from countrystatecity-countries, and the time zones of countries, all offline.

This module reads the package's files itself: the package's loaders build paths from any input, and keep everything in
memory.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import orjson

from core.errors import NamedError, shorten
from core.text.timezones import is_timezone
from core.types import JsonObject

CITIES_KEPT = 64
"""States whose cities stay in memory; the largest has about 3,700."""


@dataclass(frozen=True, slots=True)
class Country:
    """A country of ISO 3166-1; `phone_code` without plus, `emoji` is the flag."""

    name: str
    native: str
    iso2: str
    iso3: str
    phone_code: str
    currency: str
    emoji: str
    timezones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A first-level part of a country; `code` is ISO 3166-2 without the country."""

    name: str
    native: str
    code: str
    type: str


def countries() -> tuple[Country, ...]:
    """Return all countries, by name."""
    return _index()[0]


def find_country(text: str) -> Country:
    """Return the country with this ISO code (2 or 3 letters) or name, ignoring case. Raises CountryNotFound_400."""
    country = _index()[1].get(text.strip().casefold())
    if country is None:
        raise NamedError(
            "CountryNotFound_400",
            f"choose a country, such as Germany; {shorten(text, 60)} is unknown",
            field="country",
        )
    return country


@lru_cache(maxsize=300)
def states(iso2: str) -> tuple[State, ...]:
    """Return the states of a country of `countries`, by name; empty if the country has none."""
    rows = _read("by-country", iso2, "states.json")
    all_states = (State(row["name"], row["native"] or "", row["state_code"], row["type"] or "") for row in rows)
    return tuple(sorted(all_states, key=lambda state: state.name.casefold()))


def find_state(country: Country, text: str) -> State:
    """Return the country's state with this code or else name, ignoring case. Raises StateNotFound_400."""
    sought = text.strip().casefold()
    all_states = states(country.iso2)
    for names in (lambda s: (s.code, f"{country.iso2}-{s.code}"), lambda s: (s.name,), lambda s: (s.native,)):
        for state in all_states:
            if sought and sought in [name.casefold() for name in names(state)]:
                return state
    raise NamedError(
        "StateNotFound_400",
        f"choose a state of {country.name}; {shorten(text, 60)} is unknown",
        field="state",
    )


@lru_cache(maxsize=CITIES_KEPT)
def cities(iso2: str, code: str) -> tuple[str, ...]:
    """Return the distinct names of the cities of a state of `states`, sorted."""
    # Windows cannot have a folder named CON; the package's has an underscore before it.
    rows = _read("by-country", iso2, "states", code, "cities.json") or _read(
        "by-country", iso2, "states", f"_{code}", "cities.json"
    )
    return tuple(sorted({row["name"] for row in rows}, key=lambda name: (name.casefold(), name)))


def place_names(country: Country) -> set[str]:
    """Return the names of all states and cities of a country, case folded. Nothing of them is kept in memory."""
    names = {name.casefold() for state in states(country.iso2) for name in (state.name, state.native)}
    folder = _folder() / "by-country" / country.iso2 / "states"
    for file in folder.glob("*/cities.json"):
        names.update(row["name"].casefold() for row in orjson.loads(file.read_bytes()))
    return names - {""}


@lru_cache(maxsize=1)
def _index() -> tuple[tuple[Country, ...], dict[str, Country]]:
    """Return all countries by name, and a dictionary of them by code and name."""
    zones = _zones_by_country()
    all_countries = tuple(
        Country(
            name=row["name"],
            native=row["native"] or "",
            iso2=row["iso2"],
            iso3=row["iso3"],
            phone_code=row["phone_code"],
            currency=row["currency"] or "",
            emoji=row["emoji"] or "",
            timezones=zones.get(row["iso2"], ()),
        )
        for row in _read("countries.json")
    )
    all_countries = tuple(sorted(all_countries, key=lambda country: country.name.casefold()))
    called: dict[str, Country] = {}
    for names in (lambda c: (c.iso2, c.iso3), lambda c: (c.name,), lambda c: (c.native,)):
        for country in all_countries:
            for name in names(country):
                if name:
                    called.setdefault(name.casefold(), country)
    return all_countries, called


def _read(*path: str) -> list[JsonObject]:
    """Return a data file's records, or none without the file. The path has the data's own codes only, never input."""
    file = _folder().joinpath(*path)
    return orjson.loads(file.read_bytes()) if file.is_file() else []


@lru_cache(maxsize=1)
def _folder() -> Path:
    spec = importlib.util.find_spec("countrystatecity_countries")
    if spec is None or spec.origin is None:
        raise RuntimeError("countrystatecity-countries is not installed (requirements.txt)")
    return Path(spec.origin).parent / "data"


def _zones_by_country() -> dict[str, tuple[str, ...]]:
    """Return the time zones of each country by its ISO code, from the table of the tz database."""
    zones: dict[str, list[str]] = {}
    for line in files("tzdata").joinpath("zoneinfo", "zone.tab").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            code, _, name = line.split("\t")[:3]
            if is_timezone(name):
                zones.setdefault(code, []).append(name)
    return {code: tuple(sorted(names)) for code, names in zones.items()}
