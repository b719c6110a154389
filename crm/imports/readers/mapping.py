"""Propose the field of each column of an import file, by its header first and its values second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from phonenumbers import country_code_for_region

from crm.imports.readers.base import Cell
from crm.imports.readers.meanings import has_address_of_others, is_about_value, system_columns
from crm.imports.readers.synonyms import (
    AREA_CODE,
    BARE_NAMES,
    EITHER_CODE,
    FIRST_NAME,
    LAST_NAME,
    OWN_EXPORT,
    PARTS,
    SIMPLE_NAMES,
    SYNONYMS,
    VAGUE_CODE,
    WORDS,
)
from crm.imports.readers.unnamed import propose_unnamed
from crm.imports.readers.words import EASTERN, normalise

EXACT = 100
SYNONYM = 90
WORD = 60
VALUES = 50
NAME_ALONE = 10
CLEAR_SHARE = 0.6
ENOUGH_VALUES = 3
SEVERAL = ("email", "number")
"""The fields that several columns may feed: the first value in the file's order counts."""
CODES = ("countryCode", AREA_CODE)
"""The fields of codes in front of numbers, which read wrongly make the numbers of others."""
SEPARATOR = ":::"
"""Google's separator between the values of a cell."""
EMAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@.,;<>\d][^\s@.,;<>]+")
PHONE = re.compile(r"(?:\+|00)?[(]?\d[\d\s().\-/]{5,20}\d")
CLEAR_PHONE = re.compile(r"(?:\+|00)[1-9][\d\s().\-/]{6,20}\d")
PREFIX = re.compile(r"(?:\+|00)?[1-9]\d{0,3}(?:[ -]\d{3})?")
AREA = re.compile(r"\(?(?:0[1-9][0-9 /-]{0,6}|[1-9][0-9]{1,4})(?:\.0)?\)?[ /-]*")
AREA_CODE_ALONE = re.compile(r"\(?0[1-9][0-9]{0,5}\)?")
TITLE = re.compile(r"(?:mrs?|ms|mx|miss|[ds]ra?|prof|hr|herr|fr|frau|mme|mlle|sir|sig|pan|pani|dhr|mevr|jr)\.?", re.I)
CLEAR_PREFIX = re.compile(r"(?:\+|00)[1-9]\d{0,2}")
SHORT_CODE = re.compile(r"\(?0?[1-9][0-9]{0,4}(?:\.0)?\)?")
URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
# The values that a column of this meaning must have, and those that suffice to propose the meaning.
COLUMN_PATTERNS = {"email": EMAIL, "number": PHONE, "countryCode": PREFIX, "phone": PHONE, "url": URL, AREA_CODE: AREA}
TYPICAL = {"email": EMAIL, "number": CLEAR_PHONE, "countryCode": CLEAR_PREFIX, "phone": CLEAR_PHONE, "url": URL}


class FieldSpec(NamedTuple):
    """A field that a column can be mapped to; `type` is the custom field's type or the system field's own key."""

    key: str
    name: str
    type: str = "text"
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class _Column:
    """A column of the file as the proposal sees it."""

    plain: str
    """The header in the form of normalise()."""
    texts: list[str]
    """The value of each row of the sample, "" for none; of several in a cell the first."""
    is_system: bool
    scores: dict[str, float] = field(default_factory=dict)
    """Field key -> likelihood; without entry: none."""

    @property
    def values(self) -> list[str]:
        return [text for text in self.texts if text]

    @property
    def is_empty(self) -> bool:
        return bool(self.texts) and not any(self.texts)


def propose_mapping(
    headers: Sequence[str],
    fields: Iterable[FieldSpec],
    sample: Sequence[Sequence[Cell]] = (),
    *,
    kept: Mapping[str, str] = MappingProxyType({}),
    country: str = "",
) -> dict[str, str]:
    """Map headers to field keys; headers without a likely field are omitted.

    Each key occurs once, except for those of SEVERAL, which all of the person's own columns feed. If `name` is among
    the fields, firstName and lastName may be proposed too, which the importer joins. `sample` are rows of the file, one
    value per header.

    `kept` has header -> key of SEVERAL, for columns whose further values earlier imports stored in custom fields;
    `country` is that of national numbers.
    """
    specs = list(fields)
    if any(spec.key == "name" for spec in specs):
        specs += [FieldSpec(FIRST_NAME, "First name"), FieldSpec(LAST_NAME, "Last name")]
    if any(spec.key == "countryCode" for spec in specs) and all(spec.key != AREA_CODE for spec in specs):
        specs.append(FieldSpec(AREA_CODE, "Area code"))
    columns = _columns(headers, sample)
    _complete_bare_names(columns)
    own_code = str(country_code_for_region(country) or "") if country else ""
    offers = []
    for place, column in enumerate(columns):
        for order, spec in enumerate(specs):
            score = _score(column, spec, own_code)
            if headers[place] in kept:
                score = score or WORD if spec.key == kept[headers[place]] else min(score, VALUES)
            if score:
                column.scores[spec.key] = score
                offers.append((-score, place, order))
    chosen: dict[int, str] = {}
    for score, place, order in sorted(offers):
        key = specs[order].key
        is_repeatable = key in SEVERAL and -score >= WORD
        if place not in chosen and (is_repeatable or key not in chosen.values()):
            chosen[place] = key
    types = {spec.key: spec.type for spec in specs}
    guessed = propose_unnamed(headers, [column.texts for column in columns], chosen, country)
    chosen |= {place: key for place, key in guessed.items() if key in types}
    for key in SEVERAL:
        _leave_out_earlier(key, columns, chosen)
        if not OWN_EXPORT.issubset(headers):
            _fill_gaps(key, columns, chosen, types)
    _settle_names(chosen, columns)
    _add_area_codes(columns, chosen)
    if "number" not in chosen.values():
        chosen = {place: key for place, key in chosen.items() if key != AREA_CODE}
    return {headers[place]: key for place, key in sorted(chosen.items())}


def _columns(headers: Sequence[str], sample: Sequence[Sequence[Cell]]) -> list[_Column]:
    plain = [normalise(header) for header in headers]
    system = system_columns(headers, plain)
    return [
        _Column(plain[place], [_first_value(row, place) for row in sample], place in system)
        for place in range(len(headers))
    ]


def _first_value(row: Sequence[Cell], place: int) -> str:
    cell = row[place] if place < len(row) else None
    return "" if cell is None else str(cell).partition(SEPARATOR)[0].strip()


def _complete_bare_names(columns: Sequence[_Column]) -> None:
    """Read "First" and "Last", which can be of anything alone, as the parts of a name where both parts are there."""
    named = {part for part in BARE_NAMES for column in columns if column.plain in SYNONYMS[part]}
    bare = {part: [column for column in columns if column.plain in words] for part, words in BARE_NAMES.items()}
    if all(part in named or len(bare[part]) == 1 for part in BARE_NAMES):
        for part in BARE_NAMES.keys() - named:
            bare[part][0].plain = normalise(part)


def _leave_out_earlier(key: str, columns: Sequence[_Column], chosen: dict[int, str]) -> None:
    """Leave out the columns in front of the one with the field's own name, since their values would go first."""
    exact = [place for place, taken in chosen.items() if taken == key and columns[place].scores.get(key, 0) >= EXACT]
    if exact:
        for place in [place for place, taken in chosen.items() if taken == key and place < min(exact)]:
            del chosen[place]


def _fill_gaps(key: str, columns: Sequence[_Column], chosen: dict[int, str], types: Mapping[str, str]) -> None:
    """Use a column with a custom field of its name for the system field, if only it has a value in some rows.

    Its further values are then kept in that custom field.
    """
    feeding = [place for place, taken in chosen.items() if taken == key]
    if not feeding:
        return
    alike = {"email": "email", "number": "phone"}[key]
    for place, column in enumerate(columns):
        if types.get(chosen.get(place, "")) != alike or place in feeding or column.scores.get(key, 0) < WORD:
            continue
        rows = zip(column.texts, *(columns[other].texts for other in feeding), strict=True)
        if any(own and not any(others) for own, *others in rows):
            chosen[place] = key


def _add_area_codes(columns: Sequence[_Column], chosen: dict[int, str]) -> None:
    """Use a column of short codes next to that of country codes for area codes, including those of a single digit."""
    if "countryCode" not in chosen.values() or AREA_CODE in chosen.values():
        return
    for place, column in enumerate(columns):
        if place not in chosen and _base(column.plain) in EITHER_CODE and _share(SHORT_CODE, column.values) == 1:
            chosen[place] = AREA_CODE
            return


def _settle_names(chosen: dict[int, str], columns: Sequence[_Column]) -> None:
    """Keep a whole name or its parts, not both; next to one part alone, "Name" means the other part."""
    places = {key: place for place, key in chosen.items()}
    if "name" not in places:
        return
    parts = [places[key] for key in (FIRST_NAME, LAST_NAME) if key in places]
    if columns[places["name"]].is_empty and any(not columns[place].is_empty for place in parts):
        del chosen[places["name"]]
    elif len(parts) == 1 and not _contains(columns[places["name"]], columns[parts[0]]):
        chosen[places["name"]] = LAST_NAME if FIRST_NAME in places else FIRST_NAME
    else:
        for place in parts:
            del chosen[place]


def _contains(whole: _Column, part: _Column) -> bool:
    """Return whether a column has whole names, by its values or else its header, next to a part of them."""
    pairs = [(name, text) for name, text in zip(whole.texts, part.texts, strict=True) if name and text]
    if not pairs:
        return whole.plain not in SIMPLE_NAMES
    return sum(text.casefold() in name.casefold() for name, text in pairs) * 2 > len(pairs)


def _score(column: _Column, spec: FieldSpec, own_code: str) -> float:
    """Return the likelihood that a column means a field; 0 for none.

    It ranges from EXACT for its own name down to VALUES for typical values and NAME_ALONE for the right name over wrong
    values.
    """
    values, kind = column.values, _kind(spec)
    share = _share(COLUMN_PATTERNS.get(kind), values)
    by_name = _score_header(column.plain, spec)
    if kind in CODES and not _is_code(column, kind, own_code):
        return 0
    if column.is_system and by_name < EXACT:
        by_name = 0  # "Create Date" is a custom field of that name, if there is one
    if by_name:
        if share <= 0.2 and len(values) >= ENOUGH_VALUES:
            # Wrong values under the right name: any other column or field goes first. "Country code" over DE is none.
            return NAME_ALONE if by_name > WORD and kind not in CODES else 0
        if column.is_empty and spec.key not in SEVERAL:
            return NAME_ALONE
        return by_name + share / 2
    typical = TYPICAL.get(kind)
    if typical and values and not _means_other(column):
        typical_share = _share(typical, values)
        enough = CLEAR_SHARE if len(values) >= ENOUGH_VALUES else 1
        return VALUES + typical_share if typical_share >= enough else 0
    return 0


def _is_code(column: _Column, kind: str, own_code: str) -> bool:
    """Return whether the values of a column may be codes of countries, or of areas.

    Under a header that means either, values are of countries if they begin with + or 00, or if all are the company's
    own code. The code 44 is Zurich's area code as well as that of the United Kingdom. Titles are of none, and codes
    with a single leading zero are no country's.
    """
    values = column.values
    is_either = _base(column.plain) in EITHER_CODE
    is_clear = _share(CLEAR_PREFIX, values) >= CLEAR_SHARE
    digits = [value.removesuffix(".0") for value in values]
    is_own = bool(own_code and values) and all(value == own_code for value in digits)
    if kind == AREA_CODE:
        if is_either and (is_clear or own_code in digits):
            return False
        shape = AREA_CODE_ALONE if _base(column.plain) in VAGUE_CODE else AREA
        return _share(shape, values) >= CLEAR_SHARE if values else not is_either
    if is_either:
        return is_clear or is_own
    is_wrong = sum(bool(TITLE.fullmatch(value) or AREA_CODE_ALONE.fullmatch(value)) for value in values)
    return is_wrong <= 0.2 * len(values)


def _means_other(column: _Column) -> bool:
    return column.is_system or is_about_value(column.plain) or has_address_of_others(column.plain)


def _kind(spec: FieldSpec) -> str:
    if spec.key in COLUMN_PATTERNS:
        return spec.key
    # A custom field of the type number holds any number; the key "number" is a phone's.
    return "" if spec.type == "number" else spec.type


def _share(pattern: re.Pattern[str] | None, values: list[str]) -> float:
    if pattern is None:
        return 1.0
    return sum(bool(pattern.fullmatch(value)) for value in values) / len(values) if values else 0.0


def _score_header(header: str, spec: FieldSpec) -> int:
    names = {normalise(name) for name in (spec.key, spec.name, *spec.aliases)}
    compact = header.replace(" ", "")
    if compact and (header in names or compact in {name.replace(" ", "") for name in names}):
        return EXACT
    base = _base(header)
    if base in SYNONYMS.get(spec.key, ()):
        return SYNONYM - (base != header)
    if base in EITHER_CODE and spec.key in CODES:
        return SYNONYM - (base != header)
    if is_about_value(header) or has_address_of_others(header):
        return 0
    by_word = WORDS.get(spec.key, frozenset()).intersection(header.split())
    by_part = EASTERN.search(header) and any(part in header for part in PARTS.get(spec.key, ()))
    return WORD if by_word or by_part else 0


def _base(header: str) -> str:
    """Return a header without the number that distinguishes it from one of the same name, as in "Email (2)"."""
    return re.sub(r" \d$", "", header)
