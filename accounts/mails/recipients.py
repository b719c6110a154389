"""Addresses that a company must not write to, which higher apps know of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_finders: list[Callable[[Iterable[str]], set[str]]] = []


def register_unwanted(find: Callable[[Iterable[str]], set[str]]) -> None:
    """Register a function that returns which of the addresses the active company must not write to, in lower case."""
    if find not in _finders:
        _finders.append(find)


def unwanted_among(addresses: Iterable[str]) -> set[str]:
    """Return which of the addresses the active company must not write to, in lower case."""
    candidates = list(addresses)
    return set[str]().union(*(find(candidates) for find in _finders)) if candidates else set()
