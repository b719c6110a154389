"""Propose the field of each column of an import file, by its header first and its values second."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from crm.imports.readers.base import Cell
from crm.imports.readers.synonyms import FIRST_NAME, LAST_NAME, OTHER_MEANING, SYNONYMS, WORDS

EXACT, SYNONYM, WORD, VALUES, NAME_ALONE = 100, 90, 60, 50, 10
CLEAR_SHARE = 0.6
ENOUGH_VALUES = 3
EMAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@.,;<>\d][^\s@.,;<>]+")
PHONE = re.compile(r"(?:\+|00)?[(]?\d[\d\s().\-/]{5,20}\d")
CLEAR_PHONE = re.compile(r"(?:\+|00)[1-9][\d\s().\-/]{6,20}\d")
PREFIX = re.compile(r"(?:\+|00)?[1-9]\d{0,3}(?:[ -]\d{3})?")
CLEAR_PREFIX = re.compile(r"(?:\+|00)[1-9]\d{0,2}")
URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
# The values that a column of this meaning must have, and those that suffice to propose the meaning.
LOOKS = {"email": EMAIL, "number": PHONE, "countryCode": PREFIX, "phone": PHONE, "url": URL}
TYPICAL = {"email": EMAIL, "number": CLEAR_PHONE, "countryCode": CLEAR_PREFIX, "phone": CLEAR_PHONE, "url": URL}
CAMEL = re.compile(r"(?<=[a-zäöü0-9])(?=[A-ZÄÖÜ])")


class FieldSpec(NamedTuple):
    """A field that a column can be mapped to; `type` is the custom field's type or the system field's own key."""

    key: str
    name: str
    type: str = "text"
    aliases: tuple[str, ...] = ()


def normalise(text: str) -> str:
    """Return a header in the form used for comparison: lower case, without accents and punctuation, words separated by
    one space."""
    spaced = CAMEL.sub(" ", text)
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", spaced.casefold()) if not unicodedata.combining(char)
    )
    return " ".join(re.findall(r"[^\W_]+", plain))


def propose_mapping(
    headers: Sequence[str], fields: Iterable[FieldSpec | tuple], sample: Sequence[Sequence[Cell]] = ()
) -> dict[str, str]:
    """Map headers to field keys, each key at most once; headers without a likely field are left out.

    `fields` are FieldSpecs or (key, name, type, aliases). If `name` is among them, firstName and lastName may be
    proposed too, which the importer joins. `sample` are rows of the file, one value per header.
    """
    specs = [FieldSpec(*field) for field in fields]
    if any(spec.key == "name" for spec in specs):
        specs += [FieldSpec(FIRST_NAME, "First name"), FieldSpec(LAST_NAME, "Last name")]
    columns = [
        [str(row[index]).strip() for row in sample if index < len(row) and row[index] is not None]
        for index in range(len(headers))
    ]
    offers = []
    for index, header in enumerate(headers):
        for order, spec in enumerate(specs):
            score = _score(normalise(header), spec, columns[index])
            if score > 0:
                offers.append((-score, index, order))
    chosen: dict[int, str] = {}
    for _, index, order in sorted(offers):
        if index not in chosen and specs[order].key not in chosen.values():
            chosen[index] = specs[order].key
    _settle_names(chosen)
    return {headers[index]: key for index, key in sorted(chosen.items())}


def _settle_names(chosen: dict[int, str]) -> None:
    """Keep a whole name or its parts, not both; beside a first name alone, "Name" means the last name."""
    places = {key: index for index, key in chosen.items()}
    if "name" not in places:
        return
    if FIRST_NAME in places and LAST_NAME not in places:
        chosen[places["name"]] = LAST_NAME
        return
    for key in (FIRST_NAME, LAST_NAME):
        if key in places:
            del chosen[places[key]]


def _score(header: str, spec: FieldSpec, values: list[str]) -> float:
    """Return the likelihood that a column means a field: EXACT for its own name, down to VALUES for typical values and
    NAME_ALONE for the right name over wrong values; 0 for none."""
    share = _share(LOOKS.get(_kind(spec)), values)
    by_name = _score_header(header, spec)
    if by_name:
        if share > 0.2 or len(values) < ENOUGH_VALUES:
            return by_name + share
        # Wrong values under the right name: any other column or field goes first. "Country code" over DE, FR is none.
        return NAME_ALONE if by_name > WORD and _kind(spec) != "countryCode" else 0
    typical = TYPICAL.get(_kind(spec))
    if typical and len(values) >= ENOUGH_VALUES and not set(header.split()) & OTHER_MEANING:
        found = _share(typical, values)
        return VALUES + found if found >= CLEAR_SHARE else 0
    return 0


def _kind(spec: FieldSpec) -> str:
    if spec.key in LOOKS:
        return spec.key
    return (
        "" if spec.type == "number" else spec.type
    )  # a custom field of this type is any number; the key "number" is a phone's


def _share(pattern: re.Pattern[str] | None, values: list[str]) -> float:
    if pattern is None:
        return 1.0
    return sum(bool(pattern.fullmatch(value)) for value in values) / len(values) if values else 0.0


def _score_header(header: str, spec: FieldSpec) -> int:
    names = {normalise(name) for name in (spec.key, spec.name, *spec.aliases)}
    compact = header.replace(" ", "")
    if compact and (header in names or compact in {name.replace(" ", "") for name in names}):
        return EXACT
    # "Email (2)" is a second column of the same name; it matters only if the first is taken.
    base = re.sub(r" \d$", "", header)
    if base in SYNONYMS.get(spec.key, ()):
        return SYNONYM - (base != header)
    words = set(header.split())
    if words & WORDS.get(spec.key, frozenset()) and not words & OTHER_MEANING:
        return WORD
    return 0
