"""Texts of the back office are marked for translation, and columns, choices and records have names for people."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib import admin
from unfold.utils import display_for_label

from config.data_dir import PROJECT
from core.backoffice.columns import Tones, make_column
from core.text.labels.choices import choice_label
from tests.guards.test_visible_words import APPS, FORMER, refused, texts_of_module

MODULES = sorted(
    path
    for app in (*APPS, "config")
    for path in (PROJECT / app).rglob("*.py")
    if path.stem.endswith("admin")
    or {"backoffice", "staff", "revenue"} & set(path.parts)
    or path.relative_to(PROJECT).as_posix() in ("billing/plans/validation.py", "billing/payments/panels.py")
)
"""Modules of the back office, and those whose forms, panels and pages it shows."""
TRANSLATORS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
STATUSES = (("sent", "Sent"), ("draft", "Needs approval"))
UNREAD = {"Hook", "Http404", "NamedError", "SuspiciousOperation", "ValidationFailed", "execute", "unscoped"}
"""Calls whose texts are for the code, logs and developers."""
SENTENCE = re.compile(r"[A-Z][a-z’']+(?: |:|$)|[a-z’']{2,} [a-z’']{2,}")
CODES = {
    "Content-Disposition",
    "back office",
    "back office, second factor",
    "Leadwright",
    "PostgreSQL",
    "Redis",
    "SET LOCAL statement_timeout = DEFAULT",
    "True",
}
"""Names of products, headers, statements, and the reasons that the log-in log stores."""
TITLE_CASE = re.compile(r"^[A-Z][a-z]+ (?:[A-Z][a-z]+ ?)+$")
CODE = re.compile(r"_|^[a-z]|[a-z][A-Z]")
ABBREVIATION = re.compile(r"\b(?:Api|Ai|Csv|Html|Ip|Ips|Ocr|Rsa|Sku|Smtp|Uid|Url|Vat|Xlsx)\b")


def unmarked(source: str) -> list[str]:
    """Return the texts of a module that people read and no translator finds."""
    return [text for text in _literals(ast.parse(source)) if SENTENCE.match(text) and text not in CODES]


def _literals(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in TRANSLATORS | UNREAD:
            return
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)).strip()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in [] if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node):
        yield from _literals(child)


def is_plain(label: str) -> bool:
    """Return whether a label is words for people: no name of the code, and no abbreviation in small letters."""
    return not (CODE.search(label.replace("WhatsApp", "")) or ABBREVIATION.search(label) or TITLE_CASE.match(label))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('label = "Send again"', ["Send again"]),
        ('label = _("Send again")', []),
        ('facts([("Seats", _of(1, 2))])', ["Seats"]),
        ('self.log_change(request, row, f"Rejected: {reason}")', ["Rejected:"]),
        ('with unscoped(reason="back office: all records"): pass', []),
        ('"""Send it."""\nicon = "mail"\nfields = ("due_at", "name")', []),
    ],
)
def test_unmarked_texts_are_found(source: str, expected: list[str]) -> None:
    assert unmarked(source) == expected


@pytest.mark.parametrize("label", ["ramp_step", "waits for it", "Api", "No Answer", "Your Ips", "contactId"])
def test_labels_of_code_are_found(label: str) -> None:
    assert not is_plain(label)


@pytest.mark.parametrize("label", ["Messages on the first day", "WhatsApp", "IP address", "Past due", "31/12/2026"])
def test_labels_for_people_pass(label: str) -> None:
    assert is_plain(label)


def test_there_are_modules() -> None:
    assert len(MODULES) > 80


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_texts_are_marked(module: Path) -> None:
    assert unmarked(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_texts_use_words_of_pages(module: Path) -> None:
    assert refused(texts_of_module(module.read_text(encoding="utf-8"))) == []


def _labels() -> dict[str, str]:
    """Return each label of a column, with the model and the name of the column."""
    labels = {}
    for model, page in admin.site._registry.items():
        shown = getattr(page, "shown_fields", list)()
        for name in dict.fromkeys([*shown, *page.list_display, *getattr(page, "extra", ())]):
            column = make_column(page, name) if isinstance(name, str) else name  # type: ignore[arg-type]
            if callable(column):
                labels[f"{model._meta.label}.{name}"] = str(column.short_description)  # type: ignore[attr-defined]
    return labels


def test_columns_have_names_for_people() -> None:
    labels = _labels()
    assert len(labels) > 1000
    assert {name: label for name, label in labels.items() if not is_plain(label) or FORMER.search(label)} == {}


def test_choices_have_names_for_people() -> None:
    fields = [field for page in admin.site._registry.values() for field in page.opts.concrete_fields if field.choices]
    assert len(fields) > 100
    labels = {f"{field}: {code}": choice_label(str(label)) for field in fields for code, label in field.flatchoices}
    assert {choice: label for choice, label in labels.items() if not is_plain(label) and code_free(label)} == {}


def code_free(label: str) -> bool:
    """Return whether a label has letters; those of dates have none."""
    return bool(re.search(r"[A-Za-z]", label))


def test_hints_are_short_and_plain() -> None:
    hints = {
        str(field): str(field.help_text)
        for page in admin.site._registry.values()
        for field in page.opts.concrete_fields
        if field.name in getattr(page, "edits", ()) and field.help_text and field.name != "is_superuser"
    }
    assert len(hints) > 50
    long = {name: hint for name, hint in hints.items() if len(hint.split()) > 10 or FORMER.search(hint)}
    assert {name: hint for name, hint in hints.items() if "_" in hint or name in long} == {}


def test_a_status_without_a_tone_keeps_its_words() -> None:
    tones = Tones({"sent": "success"})
    assert [display_for_label(value, "–", tones).split(">")[1].split("<")[0].strip() for value in STATUSES] == [
        *("Sent", "Needs approval")
    ]


def test_badges_of_lists_have_tones() -> None:
    """A mapping of the plain kind makes the theme show the code of a status that it lacks."""
    methods = [
        getattr(page, name, None)
        for page in admin.site._registry.values()
        for name in page.list_display
        if isinstance(name, str)
    ]
    labels = [label for method in methods if isinstance(label := getattr(method, "label", None), dict)]
    assert len(labels) > 8
    assert [label for label in labels if not isinstance(label, Tones) and len(label) > 1] == []
