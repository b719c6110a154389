"""Names of functions, classes, modules and module constants that say nothing to readers from this field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT

PACKAGES = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config", "benchmarks", "tests")
BANNED = {
    "give_back": "release, refund, requeue",
    "put_back": "restore",
    "take": "claim, reserve, consume, pop, read",
    "look": "check, refresh, style",
    "look_at": "check",
    "room": "capacity, remaining",
    "Door": "EntryPoint",
    "Facts": "the record that it holds",
    "KINDS": "the kinds of what: EVENT_KINDS, FIELD_TYPES",
}
"""Name, with or without underscores before it -> words to use instead."""


ANY = rf"_*(?:{'|'.join(BANNED)})"
NAMED = re.compile(rf"^(?:[ \t]*(?:async def|def|class)[ \t]+({ANY})\b|({ANY})[ \t]*[:=])", re.MULTILINE)
"""Functions, methods and classes, and what is assigned at the left edge: constants."""


def names_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of the banned functions, methods, classes and constants of a module."""
    for found in NAMED.finditer(source):
        yield source.count("\n", 0, found.start()) + 1, found[1] or found[2]


def banned(path: Path, source: str) -> list[str]:
    """Return the places of banned names in a file, with what to use instead."""
    found = [(1, part) for part in (*path.parts[:-1], path.stem)]
    found += names_of(source)
    return [
        f"{path}:{line}: {name}; use {BANNED[bare]}" for line, name in found if (bare := name.lstrip("_")) in BANNED
    ]


def test_banned_names_are_nowhere() -> None:
    paths = [path for package in PACKAGES for path in (PROJECT / package).rglob("*.py")]
    assert len(paths) > 1000
    found = [place for path in paths for place in banned(path.relative_to(PROJECT), path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a/b.py", "def take(): ..."),
        ("a/b.py", "class A:\n    async def _look(self): ..."),
        ("a/b.py", "class Door: ..."),
        ("a/b.py", "KINDS: tuple = ()"),
        ("a/b.py", "_room = 1"),
        ("a/look.py", ""),
        ("look/b.py", ""),
    ],
)
def test_each_kind_of_name_is_seen(path: str, source: str) -> None:
    assert len(banned(Path(path), source)) == 1


def test_other_uses_of_the_words_are_none() -> None:
    assert banned(Path("a/b.py"), "def give(take):\n    look = take.room\n    return look\nBOOKS = 1") == []
