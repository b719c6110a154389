"""Detect columns by their header that are not the person's own address, or not a value that people write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from crm.imports.readers.synonyms import (
    OFFICES_PARTS,
    OFFICES_STEMS,
    OFFICES_WORDS,
    OTHER_MEANING,
    OTHER_PARTS,
    OTHERS_PARTS,
    OTHERS_PHRASES,
    OTHERS_STEMS,
    OTHERS_WORDS,
    OWN_EXPORT,
    OWN_SYSTEM,
    PARTS,
    SYSTEM,
    WORDS,
)
from crm.imports.readers.words import EASTERN


@lru_cache(maxsize=4096)
def is_of_others(header: str) -> bool:
    """Return whether a normalised header names another person, such as an assistant."""
    words = header.split()
    return bool(
        OTHERS_WORDS.intersection(words)
        or any(word.startswith(OTHERS_STEMS) for word in words)
        or any(f" {phrase} " in f" {header} " for phrase in OTHERS_PHRASES)
        or _has_part(header, OTHERS_PARTS)
    )


@lru_cache(maxsize=4096)
def has_address_of_others(header: str) -> bool:
    """Return whether an address or number in the column of a normalised header belongs to others, such as a hotline."""
    return bool(
        is_of_others(header)
        or OFFICES_WORDS.intersection(header.split())
        or any(word.startswith(OFFICES_STEMS) for word in header.split())
        or _has_part(header, OFFICES_PARTS)
    )


@lru_cache(maxsize=4096)
def names_address(header: str) -> bool:
    """Return whether a normalised header names an email address or phone number."""
    words = header.split()
    return any(vocabulary.intersection(words) for vocabulary in WORDS.values()) or any(
        _has_part(header, parts) for parts in PARTS.values()
    )


@lru_cache(maxsize=4096)
def is_about_value(header: str) -> bool:
    """Return whether a normalised header describes an address or number, such as its type or a consent."""
    return bool(OTHER_MEANING.intersection(header.split()) or _has_part(header, OTHER_PARTS))


def _has_part(header: str, parts: Sequence[str]) -> bool:
    return bool(EASTERN.search(header)) and any(part in header for part in parts)


def system_columns(headers: Sequence[str], plain: Sequence[str]) -> set[int]:
    """Return the places of the columns that a program writes itself. `plain` are the normalised headers."""
    places = {place for place, header in enumerate(plain) if header in SYSTEM}
    if OWN_EXPORT.issubset(headers):
        places |= {place for place, header in enumerate(headers) if header in OWN_SYSTEM or "." in header}
    return places
