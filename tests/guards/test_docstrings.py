"""Docstrings are plain sentences: none opens with a clause, and none has a sentence of more than 160 characters."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache

import pytest
from django.conf import settings

from tests.kit.import_alone import PROJECT

CLAUSES = ("What", "Who", "Whom", "How", "Where", "When", "Which", "Whose", "Whether", "Of", "Until", "That")
"""Words that open a clause instead of a sentence."""
WRONG_VERBS = ("Tell", "Tells", "Say", "Says")
"""Verbs that describe a function as a speaker. Functions return, raise, store or send."""
OPENER = re.compile(rf"(?:{'|'.join((*CLAUSES, *WRONG_VERBS))})\b")
MOST = 160
"""Characters of a sentence."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the docstrings of a module, and of the strings that document an assignment."""
    for owner in ast.walk(ast.parse(source)):
        if not isinstance(owner, (ast.Module, ast.If, ast.Try, *DEFINITIONS)):
            continue
        before: ast.AST | None = owner if isinstance(owner, (ast.Module, *DEFINITIONS)) else None
        for node in owner.body:
            documents = before is owner or isinstance(before, ast.Assign | ast.AnnAssign)
            text = node.value if isinstance(node, ast.Expr) else None
            if documents and isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield node.lineno, inspect.cleandoc(text.value)
            before = node


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a docstring. Tables and code are not sentences."""
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        lines = part.splitlines()
        if not any("|" in line or line.startswith(("    ", ">>>")) or re.search(r"\S {3,}\S", line) for line in lines):
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[0-9])", " ".join(line.strip() for line in lines))


@cache
def written() -> list[tuple[str, int, str]]:
    """Return (path, line, text) of all docstrings of the product, without migrations."""
    found = []
    for app in PROJECT:
        for path in sorted((settings.BASE_DIR / app).rglob("*.py")):
            if "migrations" not in path.parts:
                place = str(path.relative_to(settings.BASE_DIR))
                found += [(place, line, text) for line, text in docstrings(path.read_text(encoding="utf-8"))]
    return found


def test_the_guard_reads_docstrings() -> None:
    """Docstrings of modules, classes and functions, and strings after assignments, of all apps."""
    source = """'A.'\nX = 1\n'B.'\nclass C:\n    'D.'\n    y: int\n    'E.'\n    def f(self):\n        'F.'\n"""
    assert sorted(docstrings(source)) == [(1, "A."), (3, "B."), (5, "D."), (7, "E."), (9, "F.")]
    assert list(docstrings("f()\n'No docstring.'\n")) == []
    assert {place.partition("/")[0] for place, _, _ in written()} == set(PROJECT)
    assert len(written()) > 5_000


@pytest.mark.parametrize("text", ["What it is.", "Whether it is on.", "Of a day.", "Tell whether it is on.", "Say so."])
def test_clauses_are_recognised(text: str) -> None:
    assert OPENER.match(text)


@pytest.mark.parametrize("text", ["Return whether it is on.", "Offers of a day.", "Whole numbers.", "Sayings."])
def test_plain_sentences_pass(text: str) -> None:
    assert not OPENER.match(text)


def test_tables_and_code_are_not_sentences() -> None:
    assert list(sentences("One. Two\nlines.\n\n| a | b |\n\n    code()\n\n- an item\n- another")) == [
        "One.",
        "Two lines.",
        "- an item",
        "- another",
    ]


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    """Functions begin with a verb ("Return …", "Send …"), everything else with the name of the thing."""
    assert [f"{path}:{line}: {text[:80]}" for path, line, text in written() if OPENER.match(text)] == []


def test_sentences_of_docstrings_are_short() -> None:
    long = [
        f"{path}:{line}: {len(one)} characters: {one[:80]}"
        for path, line, text in written()
        for one in sentences(text)
        if len(one) > MOST
    ]
    assert long == []
