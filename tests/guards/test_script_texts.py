"""Scripts take their texts from the page, where a translator finds them (core/web/words/script_texts.py)."""

from __future__ import annotations

import re

import pytest

from config.data_dir import PROJECT
from core.web.words.script_texts import TEXTS, script_texts
from tests.guards.test_visible_words import APPS

SCRIPTS = sorted(
    path
    for folder in ("web", "backoffice")
    for path in (PROJECT / "core" / "static" / folder).glob("*.js")
    if ".min." not in path.name
)
PUBLIC = sorted(path for app in APPS for path in (PROJECT / app).rglob("*.js") if ".min." not in path.name)
"""Scripts of the product, those of public pages too, whose texts come with their settings."""
COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.MULTILINE)
LITERAL = re.compile(r'"([^"\n]*)"|`([^`\n]*)`')
TEXT = re.compile(r"[A-Z“][a-z’']+|[a-z]{2,} [a-z]{2,} [a-z]{2,}")
"""A capitalized word, or three words in a row: names of keys and events, and selectors, are neither."""
CODES = {
    "AbortError",
    "Content-Type",
    "Retry-After",
    "Arrow",
    "ArrowDown",
    "ArrowUp",
    "ArrowLeft",
    "ArrowRight",
    "Mac",
    "Range",
}
CODES |= {"Delete", "Backspace", "End", "Enter", "Escape", "Home", "Tab", "Shift", "PageDown", "PageUp"}
"""Names of keys, errors and types."""
USED = re.compile(r"""(?:lwText|\btext)\(((?:[^()"]*"[a-z_]+")+)""")
KEY = re.compile(r'"([a-z_]+)"')


def texts_of(source: str) -> list[str]:
    """Return the literals of a script that people may read."""
    literals = [double or template for double, template in LITERAL.findall(COMMENT.sub("", source))]
    return [literal for literal in literals if TEXT.match(literal) and literal not in CODES]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('toast("Not saved");', ["Not saved"]),
        ("say(`“${label}” stays here`);", []),
        ("say(`Moved ${label}`);", ["Moved ${label}"]),
        ('one("tbody .pick input"); key === "Enter"; // "Saved"', []),
    ],
)
def test_texts_are_recognized(source: str, expected: list[str]) -> None:
    assert texts_of(source) == expected


def test_scripts_have_no_texts_of_their_own() -> None:
    assert len(SCRIPTS) > 10
    assert {"widget.js", *(path.name for path in SCRIPTS)} <= {path.name for path in PUBLIC}
    assert {path.name: texts for path in PUBLIC if (texts := texts_of(path.read_text(encoding="utf-8")))} == {}


def test_scripts_use_each_text_and_no_other() -> None:
    used = {
        key for path in SCRIPTS for call in USED.findall(path.read_text(encoding="utf-8")) for key in KEY.findall(call)
    }
    assert used == set(TEXTS)


def test_pages_carry_the_texts_as_plain_ones() -> None:
    assert script_texts()["close"] == "Close"
    assert all(type(text) is str for text in script_texts().values())
