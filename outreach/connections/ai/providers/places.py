"""Reads the places that a search names, and compares them with a contact's own fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from accounts.places import data
from core.errors import NamedError
from outreach.connections.ai.providers.base import ContactBrief

_LABELS = {"city", "town", "location", "place", "region", "state", "province", "county", "address", "headquarters"}
_LABELS |= {"ort", "stadt", "ville", "ciudad", "district", "area"}
_COUNTRY_LABELS = {"country", "land", "pays", "nation"}
_BEFORE = re.compile(
    r"\b(?:in|near|around|from|aus|bei)\s+(?:the\s+)?(?:(?:city|region|area|state)\s+of\s+)?", re.IGNORECASE
)
_ENDS = re.compile(r"[.;:!?()\n\"“”]")
_PIECES = re.compile(r"\s*(,|\band\b|\bor\b|\bund\b|\boder\b|/)\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_WORK = frozenset(
    [
        "sales",
        "lead",
        "leads",
        "marketing",
        "mobile",
        "reading",
        "nice",
        "it",
        "hr",
        "office",
        "media",
        "trade",
        "service",
        "services",
    ]
)
"""Words for occupations that are names of towns too."""
MAX_WORDS = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A place by its words, or a country by its code; `within` is the country of a city as the search names it.

    A place that is not `known` may be something else, so its words may be in any field.
    """

    name: str
    country: str = ""
    within: str = ""
    known: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        return _words(self.name)


def places_of(prompt: str) -> tuple[Place, ...]:
    """Return the places that are named after in, near, around and from. People in any of them match."""
    places: dict[str, Place] = {}
    for before in _BEFORE.finditer(prompt):
        for place in _leading_places(_ENDS.split(prompt[before.end() :], maxsplit=1)[0]):
            places.setdefault(place.name.casefold(), place)
    return tuple(places.values())


def is_there(places: Sequence[Place], contact: ContactBrief) -> bool:
    """Return whether the contact is in one of the places, by its fields for places; without such fields by any
    other."""
    if not places:
        return True
    towns, lands = _fields(contact, _LABELS), _fields(contact, _COUNTRY_LABELS)
    others = [*contact.fields.values(), contact.category, *contact.tags]
    return any(_is_in(place, towns if place.known else [], lands, others) for place in places)


def _is_in(place: Place, towns: list[str], lands: list[str], others: Iterable[str]) -> bool:
    codes = {country_code(land) for land in lands} - {""}
    if place.country:
        if codes:
            return place.country in codes
        cities = _cities_of(place.country)
        return any(_has(town, place.words) or town.casefold().strip() in cities for town in towns) or (
            not towns and any(_has(text, place.words) for text in others)
        )
    if place.within and codes and place.within not in codes:
        return False
    return any(_has(text, place.words) for text in towns or others)


def _leading_places(text: str) -> Iterator[Place]:
    """Yield the places with which a text begins: a list of names, each of up to four words."""
    last: Place | None = None
    parts = _PIECES.split(text.strip())
    for at in range(0, len(parts), 2):
        name, whole = _name(parts[at])
        if not name:
            break
        code = country_code(name)
        place = Place(name, country=code, known=is_known(name))
        if code and last is not None and not last.country and parts[at - 1] == ",":
            place = replace(last, within=code)
        elif last is not None:
            yield last
        last = place
        if not whole:
            break
    if last is not None:
        yield last


def _name(text: str) -> tuple[str, bool]:
    """Return the name of a place that the text begins with, or "", and whether the text is nothing else."""
    words = [match.group() for match in _WORD.finditer(text)][: MAX_WORDS + 1]
    for count in range(min(MAX_WORDS, len(words)), 0, -1):
        name = " ".join(words[:count])
        if is_known(name):
            return name, count == len(words)
    proper = next((at for at, word in enumerate(words) if not word[:1].isupper()), len(words))
    name = " ".join(words[:proper])
    return ("" if name.casefold() in _WORK else name), proper == len(words)


def is_known(name: str) -> bool:
    """Return whether a country, a state or a city is called so."""
    plain = name.casefold()
    return bool(country_code(name)) or (plain not in _WORK and len(plain) > 2 and plain in _place_names())


@lru_cache(maxsize=2000)
def country_code(name: str) -> str:
    """Return the ISO code of the country with the name, or "". Codes only count in capitals, since "it" is not a
    country."""
    if len(name.strip(" .")) < 4 and not name.isupper():
        return ""
    try:
        return data.find_country({"uk": "GB", "u.k": "GB", "usa": "US"}.get(name.strip(" .").casefold(), name)).iso2
    except NamedError:
        return ""


@lru_cache(maxsize=1)
def _place_names() -> frozenset[str]:
    """Return the names of all states and cities, which take 16 MB."""
    return frozenset().union(*(data.place_names(country) for country in data.countries()))


@lru_cache(maxsize=8)
def _cities_of(code: str) -> frozenset[str]:
    return frozenset(data.place_names(data.find_country(code)))


def _fields(contact: ContactBrief, labels: set[str]) -> list[str]:
    values = []
    for label, value in contact.fields.items():
        plain = " ".join(label.casefold().replace("_", " ").replace("-", " ").split())
        if value.strip() and (plain in labels or plain.rpartition(" ")[2] in labels):
            values.append(value)
    return values


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.casefold()))


def _has(text: str, words: tuple[str, ...]) -> bool:
    """Return whether the text contains the words in sequence, each as a whole word."""
    tokens = _words(text)
    return any(tokens[at : at + len(words)] == words for at in range(len(tokens) - len(words) + 1))
