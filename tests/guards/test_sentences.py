"""Errors travel as data: product code reads no meaning out of the sentences that it writes for people."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from config.data_dir import PROJECT
from tests.guards.test_names import PRODUCT

READERS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "split", "find", "index", "count"}
"""Methods of texts that look for a part."""
MATCHERS = {"search", "match", "fullmatch"}
"""Methods of patterns, and functions of re."""
WORD = re.compile(r"[^\W\d_]{2,}")
TEXTS = {"detail", "error", "exc", "hint", "message", "problem", "reason", "refusal", "trouble", "warning"}
"""Names of variables, attributes and keys that hold a sentence, alone or as the last part of a longer name."""
TEXTS_OF_PAGES = TEXTS | {"text"}
"""The same in pages, whose texts come from the API. Elsewhere a text may be what a person wrote."""
ALLOWED = {
    "billing/gateways/adapters/mollie.py": "the gateway's refusal has no code of its own",
    "crm/imports/readers/delimited.py": "the errors of csv and zlib have a text alone",
    "outreach/connections/chat_apps/messenger.py": "the platform's refusal has no code of its own",
}
"""Module -> reason why it reads texts."""


def texts_of(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    """Yield the texts that an operand consists of, those of the module's constants too."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        for item in node.elts:
            yield from texts_of(item, constants)
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from texts_of(part, constants)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compile":
        yield from texts_of(node.args[0], constants)
    elif isinstance(node, ast.Name) and node.id in constants:
        yield from texts_of(constants[node.id], {name: value for name, value in constants.items() if name != node.id})


def is_sentence(text: str) -> bool:
    """Return whether a text or pattern is a part of a sentence: two words, or a word with a space at its end."""
    words = WORD.findall(text)
    return bool(words) and (" " in text.strip() if len(words) > 1 else text.endswith(" "))


def holds_text(node: ast.expr, names: set[str]) -> bool:
    """Return whether an operand is a text for people, by its name."""
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
        return inner is not None and holds_text(inner, names)
    if isinstance(node, ast.BoolOp):
        return any(holds_text(value, names) for value in node.values)
    name = ""
    if isinstance(node, ast.Name):
        name = node.id
    elif isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    return name.rpartition("_")[2].rstrip("s") in names


def sentences_read(tree: ast.Module, names: set[str] = TEXTS) -> Iterator[tuple[int, str]]:
    """Yield the line and the sentence of each place that looks for it in a text with one of the names."""
    constants: dict[str, ast.expr] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                constants |= {part.id: statement.value for part in parts if isinstance(part, ast.Name)}
    for node in ast.walk(tree):
        operands: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READERS:
                operands = [node.func.value, *node.args[:1]]
            elif node.func.attr in MATCHERS:
                operands = [node.func.value, *node.args[:2]]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn | ast.Eq | ast.NotEq):
            operands = [node.left, *node.comparators]
        if any(holds_text(operand, names) for operand in operands):
            sentences = (text for operand in operands for text in texts_of(operand, constants))
            sentence = next(filter(is_sentence, sentences), "")
            if sentence:
                yield node.lineno, sentence


def test_no_code_reads_meaning_out_of_a_sentence() -> None:
    read: dict[str, list[str]] = {}
    for package in PRODUCT:
        for path in sorted((PROJECT / package).rglob("*.py")):
            module = path.relative_to(PROJECT).as_posix()
            names = TEXTS_OF_PAGES if "/pages" in module else TEXTS
            for line, sentence in sentences_read(ast.parse(path.read_text()), names):
                read.setdefault(module, []).append(f"{module}:{line} looks for {sentence!r}")
    assert sorted(line for module, lines in read.items() if module not in ALLOWED for line in lines) == []
    assert ALLOWED.keys() - read.keys() == set(), "these read no sentence any more"


@pytest.mark.parametrize(
    "code",
    [
        'gone = scan["error"].startswith("The picture, or the app")',
        'unknown = "is unknown" in (error.detail or "")',
        'MISSING = "is missing, but needed"\nlacks = MISSING in problem["message"]',
        'text = message.removeprefix("name: ")',
        'import re\nUNKNOWN = re.compile("is none of the options")\nunknown = UNKNOWN.search(problem.message)',
        'unverified = trouble == "the address is not verified"',
        'ADVICE = "Write "\nadvises = ADVICE in text',
        'import re\nleft = re.match(r"([\\w, -]+) left unchanged", text)',
        'import re\nEXISTS = re.compile(r"another (contact|lead) (has|is) (.+)")\nexists = EXISTS.match(text)',
        'ENDED = "The token has ended"\nENDS = (ENDED, "expires")\nis_known = app.last_error.startswith(ENDS)',
    ],
)
def test_the_guard_finds_a_sentence_that_is_read(code: str) -> None:
    assert len(list(sentences_read(ast.parse(code), TEXTS_OF_PAGES))) == 1


@pytest.mark.parametrize("code", ['known = error.code == "unknownField"', 'parts = text.split(",")'])
def test_the_guard_accepts_codes_and_separators(code: str) -> None:
    assert not list(sentences_read(ast.parse(code), TEXTS_OF_PAGES))
