"""A toast of one sentence has no full stop; one of several sentences has them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from config.data_dir import PROJECT

TOASTS = {"redirect_with_toast", "fail", "add_toast", "unchanged"}
"""Methods of pages that show a toast; the text comes first."""
STOP = re.compile(r"[.!?](?=\s|$)")
FILES = sorted(
    path
    for path in PROJECT.glob("*/**/*.py")
    if ("pages" in path.parts or path.name == "pages.py" or path.is_relative_to(PROJECT / "core" / "web"))
    and not {"tests", ".venv", "migrations"} & set(path.relative_to(PROJECT).parts)
)


def texts_of(source: str) -> Iterator[str]:
    """Return the literal texts of toasts in a module: what their first argument has gettext translate."""
    for call in ast.walk(ast.parse(source)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in TOASTS):
            continue
        for part in ast.walk(call.args[0]) if call.args else ():
            is_text = (
                isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in {"_", "gettext"}
            )
            if is_text and isinstance(part.args[0], ast.Constant):
                yield str(part.args[0].value)


def is_right(text: str) -> bool:
    """Return whether the text keeps the rule. A placeholder at its end brings its own full stop."""
    if len(STOP.findall(text.rstrip(".!?"))) > 0:
        return text.endswith((".", "!", "?", ")s"))
    return not text.endswith(".")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tag saved", True),
        ("Tag saved.", False),
        ("Saved. The app is off.", True),
        ("Saved. The app is off", False),
        ("Role saved. %(summary)s", True),
        ("Is this right?", True),
        ("Version 2.1 is published", True),
    ],
)
def test_the_rule(text: str, expected: bool) -> None:
    assert is_right(text) == expected


def test_toasts_end_alike() -> None:
    texts = [(path, text) for path in FILES for text in texts_of(path.read_text())]
    assert len(texts) > 150
    assert [(str(path.relative_to(PROJECT)), text) for path, text in texts if not is_right(text)] == []
