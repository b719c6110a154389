"""Texts of the members' pages are whole sentences for translators: none is put together from nouns and pieces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT
from tests.guards.test_visible_words import MODULES, TEMPLATES

EFFECTS = sorted((PROJECT / "workflows" / "nodes").glob("*.py"))
TRANSLATORS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
NOUN = re.compile(r"%\((?:one|many|kind|noun|what|thing|things|counted|singular|plural)\)s")
BLOCK = re.compile(r"{%\s*blocktranslate\b.*?%}(.*?){%\s*endblocktranslate", re.DOTALL)
VARIABLE = re.compile(r"{{\s*(?:one|many|kind|noun|what|thing|things|counted|singular|plural)\s*}}")
MARKUP = re.compile(r"^[^<>]*=\"")
PIECE = re.compile(r"\|lower\b|\|pluralize\b")


def glued_in_module(source: str) -> list[str]:
    """Return the expressions of a module that put a text together."""
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if any(_faults(node))]


def _faults(node: ast.AST) -> Iterator[bool]:
    if _translates(node):
        texts = [
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        yield any(map(NOUN.search, texts))
    if isinstance(node, ast.JoinedStr):
        literal = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        yield any(char.isalpha() for char in literal) and any(_has(value, _translates) for value in values)
        yield any(_has(value, _is_plural_letter) for value in values)
        yield len(values) > 1 and " " in literal and any(_has(value, _lowers) for value in values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield _has(node.right, _lowers)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield _translates(node.left) or _translates(node.right)
    if _lowers(node) and isinstance(node, ast.Call):
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        yield _has(node, _translates) or any(name.isupper() and name != "_" for name in names)


def _has(node: ast.AST, test: object) -> bool:
    return callable(test) and any(test(part) for part in ast.walk(node))


def _translates(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TRANSLATORS


def _lowers(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "lower"


def _is_plural_letter(node: ast.AST) -> bool:
    """Return whether an expression chooses between an ending for several and none."""
    if not isinstance(node, ast.IfExp):
        return False
    endings = [part.value for part in (node.body, node.orelse) if isinstance(part, ast.Constant)]
    return len(endings) == 2 and set(endings) in ({"", "s"}, {"", "es"}, {"y", "ies"})


def glued_in_template(source: str) -> list[str]:
    """Return the parts of a template that put a text together, or mark markup for translation."""
    blocks = [text.strip() for text in BLOCK.findall(source)]
    glued = [text for text in blocks if VARIABLE.search(text) or MARKUP.search(text)]
    return glued + PIECE.findall(source)


@pytest.mark.parametrize(
    "source",
    [
        '_("New %(one)s") % {"one": kind.one}',
        'ngettext("%(noun)s", "%(noun)ss", count)',
        "f\"{count:,} {noun}{'' if count == 1 else 's'}\"",
        "f\"{did or _('Changed')} by {name}\"",
        'f"{count} {name.lower()}"',
        '_("All %(label)s") % {"label": label.lower()}',
        "title = APP_KINDS[self.kind].lower()",
        "STATES[status][0].lower()",
        '_("Connect ") + name',
    ],
)
def test_glued_texts_of_modules_are_found(source: str) -> None:
    assert glued_in_module(source) != []


@pytest.mark.parametrize(
    "source",
    [
        '_("Export: %(records)s") % {"records": name}',
        "f\"{said}. {_('The remaining lines are not addresses.')}\"",
        'ngettext_lazy("%(count)s contact", "%(count)s contacts").of(count)',
        "address = email.strip().lower()",
    ],
)
def test_whole_texts_of_modules_pass(source: str) -> None:
    assert glued_in_module(source) == []


@pytest.mark.parametrize(
    ("source", "is_glued"),
    [
        ("{% blocktranslate with many=kind.many %}Show {{ many }}{% endblocktranslate %}", True),
        ('{% blocktranslate %}data-id="{{ id }}"{% endblocktranslate %}', True),
        ("{{ label|lower }}", True),
        ("recipient{{ count|pluralize }}", True),
        ('{% blocktranslate %}<a href="{{ url }}">Publish</a> it.{% endblocktranslate %}', False),
        ("{% blocktranslate count n=rows %}{{ n }} row{% plural %}{{ n }} rows{% endblocktranslate %}", False),
    ],
)
def test_glued_texts_of_templates_are_found(source: str, is_glued: bool) -> None:
    assert bool(glued_in_template(source)) is is_glued


@pytest.mark.parametrize("module", [*MODULES, *EFFECTS], ids=lambda path: str(path.relative_to(PROJECT)))
def test_modules_have_whole_texts(module: Path) -> None:
    assert glued_in_module(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(PROJECT / "templates" / "web")))
def test_templates_have_whole_texts(template: Path) -> None:
    assert glued_in_template(template.read_text(encoding="utf-8")) == []
