"""Errors of values, which pages show at their fields, say what to enter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.data_dir import PROJECT

MODULES = sorted(
    [*(PROJECT / "crm" / "field_types").rglob("*.py"), PROJECT / "core" / "text" / "addresses.py"],
    key=lambda path: path.as_posix(),
)
RIDDLE = re.compile(r"is no (?:number|date|dial prefix)\b|lacks its country|mark of a placeholder")


@pytest.mark.parametrize(
    ("text", "is_riddle"),
    [
        ("Abc is no number.", True),
        ("“12” lacks its country.", True),
        ("“999” is no dial prefix.", True),
        ("Abc is not a number. Enter a number, for example 1200.", False),
    ],
)
def test_riddles_are_found(text: str, is_riddle: bool) -> None:
    assert bool(RIDDLE.search(text)) is is_riddle


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_errors_of_values_are_no_riddles(module: Path) -> None:
    assert [line for line in module.read_text(encoding="utf-8").splitlines() if RIDDLE.search(line)] == []


def test_there_are_modules() -> None:
    assert len(MODULES) > 5
