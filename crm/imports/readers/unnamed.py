"""Propose the fields of a file without headers, whose columns are called Column A, Column B and so on, by values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from core.text.addresses import BadAddress, read_phone
from crm.imports.readers.cells import is_email, kind_of
from crm.imports.readers.suspects import PARTICLES
from crm.imports.readers.synonyms import FIRST_NAME, LAST_NAME
from crm.imports.readers.words import normalise, split_phrases

UNNAMED = re.compile(r"Column [A-Z]{1,3}")
NATIONAL = re.compile(r"[(]?\d[\d\s().\-/]{5,20}\d")
MIN_DIGITS = 9
"""Fewer digits without any separator may be an id or an amount."""
PHONE_SHARE = 0.6
NAME_SHARE = 0.8
DISTINCT_SHARE = 0.8
JUDGED_DISTINCT = 5
"""Fewer values may repeat by accident."""
NO_NAMES = split_phrases("""
    gmbh, ag, kg, ohg, ug, ev, ltd, limited, llc, llp, inc, corp, corporation, co, company, plc, sa, sas, sarl, srl,
    spa, sl, bv, nv, oy, ab, as, aps, group, gruppe, holding, solutions, services, systems, consulting, partners, bank,
    hotel, school, university, club, store, shop, manager, director, engineer, officer, head, sales, marketing,
    assistant, developer, consultant, owner, account, product, project, executive, president, chief, team, support, new,
    san, los, santa, united, states, kingdom, north, south, east, west, saint, st, street, road, avenue, city
""")
"""Words of firms, jobs and places."""


def propose_unnamed(
    headers: Sequence[str], columns: Sequence[Sequence[str]], chosen: Mapping[int, str], country: str
) -> dict[int, str]:
    """Return place -> key of further columns of a file without headers; nothing for any other file.

    `columns` are the texts of each column, "" for none. `chosen` has the existing choices, `country` is the ISO 3166
    code of national numbers or empty.
    """
    if not all(map(UNNAMED.fullmatch, headers)):
        return {}
    proposed: dict[int, str] = {}
    free = [place for place in range(len(headers)) if place not in chosen and any(columns[place])]
    for place in free:
        if _share(columns[place], lambda text: _is_phone(text, country)) >= PHONE_SHARE:
            proposed[place] = "number"
        elif _share(columns[place], is_email) >= PHONE_SHARE:
            proposed[place] = "email"
    if {"name", FIRST_NAME, LAST_NAME}.isdisjoint(chosen.values()):
        mapping = {**chosen, **proposed}
        addresses = next((columns[place] for place, key in mapping.items() if key == "email"), ())
        proposed |= _names([place for place in free if place not in proposed], columns, addresses)
    return proposed


def _share(texts: Sequence[str], fits: Callable[[str], bool]) -> float:
    values = [text for text in texts if text]
    return sum(map(fits, values)) / len(values) if values else 0.0


def _is_phone(text: str, country: str) -> bool:
    kind = kind_of(text)
    if kind == "phone" and (not country or text.startswith(("+", "00"))):
        return True
    if kind not in ("phone", "text", "number") or not country or not NATIONAL.fullmatch(text):
        return False
    if text.isdecimal() and len(text) < MIN_DIGITS:
        return False
    try:
        read_phone(None, text, country)
    except BadAddress:
        return False
    return True


def _names(free: Sequence[int], columns: Sequence[Sequence[str]], addresses: Sequence[str]) -> dict[int, str]:
    """Return the column of whole names, or else the two of first and last names."""
    whole = [place for place in free if _is_column_of(columns[place], _is_whole_name)]
    if whole:
        return {whole[0]: "name"}
    single = [place for place in free if _is_column_of(columns[place], _is_single_name)]
    pairs = [(place, place + 1) for place in single if place + 1 in single]
    for first, last in [*pairs, *((last, first) for first, last in pairs)]:
        if _agree(columns[first], columns[last], addresses):
            return {first: FIRST_NAME, last: LAST_NAME}
    # Without addresses to compare with, only the two first columns are clear, and no third one that is alike.
    if single == [0, 1] and not any(addresses):
        return {0: FIRST_NAME, 1: LAST_NAME}
    return {}


def _is_column_of(texts: Sequence[str], fits: Callable[[str], bool]) -> bool:
    values = [text for text in texts if text]
    repeats = len(values) >= JUDGED_DISTINCT and len(set(values)) < DISTINCT_SHARE * len(values)
    return not repeats and _share(texts, fits) >= NAME_SHARE


def _is_whole_name(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 4 and all(map(_is_name, words)) and not PARTICLES.issuperset(words[:1] + words[-1:])


def _is_single_name(text: str) -> bool:
    words = text.split()
    return bool(words) and _is_name(words[-1]) and words[-1] not in PARTICLES and PARTICLES.issuperset(words[:-1])


def _is_name(word: str) -> bool:
    plain = word.strip(".").replace("-", "").replace("'", "").replace("’", "")
    capital = word[0].isupper() or word in PARTICLES
    return capital and plain.isalpha() and plain.casefold() not in NO_NAMES


def _agree(first: Sequence[str], last: Sequence[str], addresses: Sequence[str]) -> bool:
    """Return whether the addresses of half of the rows consist of these first and last names."""
    rows = [
        (first_name, other, text)
        for first_name, other, text in zip(first, last, addresses, strict=False)
        if first_name and text
    ]
    return bool(rows) and sum(_is_made_of(*row) for row in rows) * 2 >= len(rows)


def _is_made_of(first: str, last: str, address: str) -> bool:
    local = _plain(address.partition("@")[0])
    first_name, other = _plain(first), _plain(last)
    if not first_name or not other:
        return False
    return local == first_name or local.startswith((first_name + other, first_name[0] + other, first_name + other[0]))


def _plain(text: str) -> str:
    return normalise(text).replace(" ", "")
