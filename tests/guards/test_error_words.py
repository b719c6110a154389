"""Errors, which pages show at fields and in toasts, say what to enter and name nothing that only programs know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT

APPS = ("core", "accounts", "billing", "crm", "outreach", "workflows")
RAISED = frozenset(
    {
        *("NamedError", "ValidationError", "ValidationFailed", "InvalidFormat", "DuplicateField", "PermissionLacking"),
        *("BadValue", "BadAddress", "ValueProblem", "PydanticCustomError", "refuse", "_refuse", "_wrong"),
    }
)
"""Calls whose texts are errors of values."""
RIDDLES = re.compile(
    "|".join(
        (
            r"is no (?:number|date|day|time|colour|name|host|web address|VAT|country|language|dial|key\b|tag of)",
            r"is no (?:code|field) of|is none of (?:the |its )?(?:options|variables|them)|there is no day|hexadecimal",
            r"\bof MJML\b|lacks its country|mark of a placeholder|mark of a variable|may not? stand",
            "stands? (?:together|side by side|twice)|whatever|IANA|tz database|cannot be negative|needs a character",
            "lies in the past|name one of them",
        )
    )
)
"""Texts that say neither what is wrong nor what to do."""
FOR_PROGRAMS = frozenset(
    {
        "core/lists/tree.py",  # a filter that programs write: pages make theirs from choices
        "crm/imports/columns/mapping.py",  # pages have texts by its codes
    }
)
PAGES = sorted(
    path
    for app in APPS
    for path in (PROJECT / app).rglob("*.py")
    if "pages" in path.relative_to(PROJECT).as_posix() or path.is_relative_to(PROJECT / "core" / "web")
)


def modules() -> list[Path]:
    """Return the modules of the product, without tests and migrations."""
    found = (path for app in APPS for path in (PROJECT / app).rglob("*.py"))
    return sorted(path for path in found if "migrations" not in path.parts and "management" not in path.parts)


def errors_in(source: str, but: str = "") -> Iterator[str]:
    """Yield the texts of errors that a module raises; values in them are an ellipsis.

    Texts of the keyword argument `but` are left out.
    """
    for call in ast.walk(ast.parse(source)):
        name = ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""
        if not isinstance(call, ast.Call) or name not in RAISED:
            continue
        # Programs read the first text of a ValidationFailed with two, people the second.
        arguments = call.args[1:] if len(call.args) > 1 and name == "ValidationFailed" else call.args
        for argument in [*arguments, *(word.value for word in call.keywords if word.arg != but)]:
            yield from parts(argument)


def parts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression; an f-string is one text."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)  # type: ignore[misc]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from parts(child)


@pytest.mark.parametrize(
    ("text", "is_riddle"),
    [
        ("Abc is no number.", True),
        ("“12” lacks its country.", True),
        ("“999” is no dial prefix.", True),
        ("url: is no web address", True),
        ("status: asleep is none of the options", True),
        ("there is no day 31.02.2026", True),
        ("colour: six hexadecimal digits, such as #2f5bea", True),
        ("value: cannot be negative", True),
        ("member, team: name one of them", True),
        ("Abc is not a number. Enter a number, for example 1200.", False),
        ("colour: enter a color, such as #2f5bea", False),
    ],
)
def test_riddles_are_found(text: str, is_riddle: bool) -> None:
    assert bool(RIDDLES.search(text)) is is_riddle
    assert [bool(RIDDLES.search(error)) for error in errors_in(f"raise NamedError('X', f'{text}')")].count(
        True
    ) == is_riddle


def test_errors_of_values_are_no_riddles() -> None:
    found = [
        f"{path.relative_to(PROJECT)}: {text}"
        for path in modules()
        if path.relative_to(PROJECT).as_posix() not in FOR_PROGRAMS
        for text in errors_in(path.read_text(encoding="utf-8"))
        if RIDDLES.search(text)
    ]
    assert found == []


def test_there_are_errors() -> None:
    assert sum(1 for path in modules() for _ in errors_in(path.read_text(encoding="utf-8"))) > 1000


WARNING = re.compile(r"\banswer\.warning\b")
"""The detail that the API has for programs; pages show `answer.reason`, `answer.refusal` or `answer.notice`."""
SHOWS_NOTHING = re.compile(r"bool\(answer\.warning\)|(?:and|if) answer\.warning\b")


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("return self.fail(answer.warning)", True),
        ('"warning": answer.warning,', True),
        ('"is_cut": bool(answer.warning),', False),
        ("if not answer.errors and answer.warning:", False),
    ],
)
def test_shown_warnings_are_found(line: str, shows: bool) -> None:
    assert bool(WARNING.search(SHOWS_NOTHING.sub("", line))) is shows


def test_pages_show_no_warning_of_the_api() -> None:
    found = [
        f"{path.relative_to(PROJECT)}: {line.strip()}"
        for path in PAGES
        for line in path.read_text(encoding="utf-8").splitlines()
        if WARNING.search(SHOWS_NOTHING.sub("", line))
    ]
    assert (found, len(PAGES) > 100) == ([], True)


def test_refusals_name_operations_as_data() -> None:
    """A text with an operation of the API would be shown to people; `operation` is for programs alone."""
    named = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE) /")
    found = [
        f"{path.relative_to(PROJECT)}: {text}"
        for path in modules()
        for text in errors_in(path.read_text(encoding="utf-8"), but="operation")
        if named.search(text)
    ]
    assert found == []


CUTS = frozenset({"match", "fullmatch", "search", "sub", "split", "partition", "rpartition", "removeprefix"})
"""Methods that read a part of a text."""
ERROR_TEXT = re.compile(
    r"(?:\b|_)(?:message|warning|detail|reason|refusal)\b(?![.\[])|\[['\"](?:message|warning)['\"]\]"
)
STORED_BEFORE = {("workflows/runs/pages/failures.py", "SETTING.match(message)")}
"""Texts of errors that were stored before their reasons were."""


def cuts_in(source: str) -> Iterator[str]:
    """Yield the calls that read a part of an error's text."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in CUTS:
            continue
        texts = [call.func.value, *call.args]
        if any(ERROR_TEXT.search(ast.unparse(text)) for text in texts if not isinstance(text, ast.Constant)):
            yield ast.unparse(call)


@pytest.mark.parametrize(
    ("line", "cuts"),
    [
        ("ADDRESSES.sub('', message)", True),
        ("error['message'].partition(': ')", True),
        ("re.match('x', answer.warning)", True),
        ("key.partition(' ')", False),
        ("str(answer.warning)", False),
    ],
)
def test_cut_texts_of_errors_are_found(line: str, cuts: bool) -> None:
    assert bool(list(cuts_in(line))) is cuts


def test_pages_read_no_meaning_out_of_the_texts_of_errors() -> None:
    """Errors carry their fields, codes and operations as data."""
    found = {
        (path.relative_to(PROJECT).as_posix(), cut)
        for path in PAGES
        for cut in cuts_in(path.read_text(encoding="utf-8"))
    }
    assert found == STORED_BEFORE
