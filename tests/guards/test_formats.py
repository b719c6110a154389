"""Dates and money are written by core.text.formats alone, so that people read them the same way everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR
APPS = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config")
MACHINE = {
    "%Y",
    "%Y%m%d",
    "%Y%m%d%H%M",
    "%Y%m%d%H%M%S%f",
    "%Y%m%dT%H%M%SZ",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%SZ",
    "%H:%M",
    "%Z",
}
"""Patterns of inputs, file names, keys and protocols, and the time of day without a date."""
OWN = {
    "core/text/formats.py": "the one module",
    "crm/exports/services.py": "the name of a file",
    "outreach/messaging/delivery/tracking/recorder.py": "part of a hash",
    "outreach/connections/ai/budgets.py": "the key of a month",
    "outreach/insights/crm_chat/prompts.py": "the prompt of a model",
    "outreach/messaging/email_templates/rendering.py": "the pattern is the template's author's",
    "workflows/expressions/filters.py": "the pattern is the workflow's author's",
    "core/management/commands/hold.py": "the operator's terminal",
    "config/management/commands/release.py": "the operator's terminal",
}
AMOUNT = re.compile(r"(amount|price|total|cost|minor|sum)\b", re.IGNORECASE)
CURRENCY = re.compile(r"(currency|code)(_id)?\b", re.IGNORECASE)
IN_TEMPLATES = {
    "a date filter": re.compile(r"\|\s*(date|time)\s*(:|\||\}|%)"),
    "an amount beside its currency": re.compile(r"(amount|price|cost|total)[\w.|:\"-]*\s*\}\}\s*\{\{\s*[\w.]*currency"),
    "a currency beside its amount": re.compile(r"currency\s*\}\}\s*\{\{\s*[\w.]*(amount|price|cost|total)"),
}


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if "/migrations/" not in name and not name.startswith("config/local/"):
                yield name, ast.parse(path.read_text())


def _patterns(tree: ast.Module) -> Iterator[str]:
    """Yield the patterns of dates in f-strings and in strftime."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))  # type: ignore[attr-defined]
            if re.search(r"%[a-zA-Z]", spec):
                yield spec
        if isinstance(node, ast.Attribute) and node.attr == "strftime":
            yield "strftime"


def _glued(tree: ast.Module) -> Iterator[str]:
    """Yield f-strings with an amount beside its currency, such as f"{amount} {currency}"."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for first, between, last in zip(node.values, node.values[1:], node.values[2:], strict=False):
            if isinstance(between, ast.Constant) and between.value == " ":
                pair = [ast.unparse(part) for part in (first, last)]
                if any(AMOUNT.search(one) and CURRENCY.search(other) for one, other in (pair, pair[::-1])):
                    yield ast.unparse(node)


def test_python_writes_dates_by_the_module_of_formats() -> None:
    found = {name: [text for text in _patterns(tree) if text not in MACHINE] for name, tree in _modules()}
    assert not {name: texts for name, texts in found.items() if texts and name not in OWN}
    assert not [name for name in OWN if not found[name]], "an exception that is none any more"


def test_python_writes_money_by_the_module_of_formats() -> None:
    assert list(_glued(ast.parse('f"{row.amount:f} {row.currency}" f"{code} {total}"'))), "the guard finds pairs"
    glued = [(name, text) for name, tree in _modules() for text in _glued(tree)]
    assert not glued


def test_templates_write_dates_and_money_by_tags() -> None:
    samples = ('{{ at|date:"Y-m-d" }}', "{{ amount }} {{ currency }}", "{{ currency }} {{ one.price }}")
    for (kind, pattern), sample in zip(IN_TEMPLATES.items(), samples, strict=True):
        assert pattern.search(sample), kind
    wrong = [
        (str(path.relative_to(ROOT)), kind, match.group())
        for path in sorted(Path(ROOT, "templates").rglob("*"))
        if path.suffix in (".html", ".txt")
        for kind, pattern in IN_TEMPLATES.items()
        for match in pattern.finditer(path.read_text())
    ]
    assert not wrong
