"""Texts of the members' pages name nothing of the API, and use the words of the pages and no former ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT
from core.text.labels.choices import choice_label
from outreach.models import SendJob

APPS = ("accounts", "billing", "core", "crm", "outreach", "workflows")
TEMPLATES = sorted((PROJECT / "templates" / "web").rglob("*.html"))
MODULES = sorted(
    path
    for app in APPS
    for path in (PROJECT / app).rglob("*.py")
    if path.stem == "pages" or "pages" in path.parts or path.is_relative_to(PROJECT / "core" / "web")
)
MARKED = re.compile(
    r"""{%\s*translate\s+"([^"]*)"|{%\s*blocktranslate\b.*?%}(.*?){%\s*endblocktranslate|_\(\s*"([^"]*)\"""", re.DOTALL
)
TRANSLATORS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
OF_API = re.compile(r"/apps/|\b(?:GET|POST|PUT|PATCH|DELETE)\b|_4\d\d\b")
CALLS = {
    "GET with query parameters",
    "POST with JSON",
    "Send a JSON object by POST to start a run. Keep the address secret.",
}
"""Texts about calls from or to other systems, which name the method of the call."""
SHOWING = {"admin.py", "panels.py", "pages.py", "overview.py", "people.py", "service.py"}
"""Modules that show records."""
SEARCHED = {"appointment canceled cancelled no show"}
"""Words by which a search finds something, in all spellings."""
FORMER = re.compile(r"\b(?:go on|do not contact|take off|came back|answered|proposals)\b|\bempty:", re.IGNORECASE)
ONE_FORM = re.compile(r"\b(?:cannot|canceled|canceling)\b|\)s +%%|(?:\d|}}) +%(?!\()", re.IGNORECASE)
"""Other spellings of can't, cancelled and 50%."""
RIDDLE = re.compile(
    r"\b(?:whom|whoever|whatever the case|so many|as many \w+ as|written to|one is enough|what becomes|of late|anew)\b"
    r"|^(?:it|they|those) \w+",
    re.IGNORECASE,
)
"""Pronouns without a noun, and turns that no CRM uses."""


def texts_of_template(source: str) -> list[str]:
    """Return the texts of a template that are marked for translation."""
    return [text for texts in MARKED.findall(source) for text in texts if text]


def texts_of_module(source: str) -> list[str]:
    """Return the texts of a module that are marked for translation, without the words by which a search finds pages."""
    return list(_texts(ast.parse(source)))


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.keyword) and node.arg == "keywords":
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TRANSLATORS:
        yield from (part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str))
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def refused(texts: list[str]) -> list[str]:
    """Return the texts with a name of the API, a former word, another spelling or a riddle."""
    patterns = (OF_API, FORMER, ONE_FORM, RIDDLE)
    return [
        text for text in texts if text not in CALLS | SEARCHED and any(pattern.search(text) for pattern in patterns)
    ]


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("Connect a sender (POST /apps/smtp)", True),
        ("No sender (NoSMTPSelected_400)", True),
        ("Go on", True),
        ("Empty: now.", True),
        ("Search proposals", True),
        ("This cannot be undone.", True),
        ("Canceled by someone else.", True),
        ("%(percent)s %% uploaded", True),
        ("{{ percent }} % are used", True),
        ("119 people will be written to.", True),
        ("Kinds of events; one is enough.", True),
        ("It broke a rule.", True),
        ("‘Fair’ exists already, whatever the case of its letters.", True),
        ("%(percent)s%% uploaded", False),
        ("Cancelled. This can't be undone.", False),
        ("Written by hand", False),
        ("Post a letter, and put it into the category", False),
        ("Reply", False),
    ],
)
def test_texts_are_refused(text: str, is_refused: bool) -> None:
    assert texts_of_template(f'<p>{{% translate "{text}" %}}</p>') == [text]
    assert texts_of_template(f"{{% blocktranslate trimmed %}}{text}{{% endblocktranslate %}}") == [text]
    assert texts_of_module(f"title = gettext_lazy({text!r})\nitem = Item(keywords=gettext_lazy('proposals'))") == [text]
    assert bool(refused([text])) is is_refused


def test_there_are_templates_and_modules() -> None:
    assert (len(TEMPLATES) > 300, len(MODULES) > 150) == (True, True)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(PROJECT / "templates" / "web")))
def test_templates_use_words_of_pages(template: Path) -> None:
    assert refused(texts_of_template(template.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_modules_use_words_of_pages(module: Path) -> None:
    assert refused(texts_of_module(module.read_text(encoding="utf-8"))) == []


def test_choices_are_shown_by_their_words() -> None:
    """A choice's own label may be a note for developers; `chosen` and the tables of pages have the words."""
    raw = re.compile(r"\bget_\w+_display\b")
    pages = [path for app in (*APPS, "config") for path in (PROJECT / app).rglob("*.py") if path.name in SHOWING]
    templates = sorted((PROJECT / "templates").rglob("*.*"))
    assert len(pages) > 50
    assert len(templates) > 100
    assert [str(path) for path in (*pages, *templates) if raw.search(path.read_text())] == []
    assert choice_label("won: the money stays") == "Won"
    assert str(SendJob.Status.UNKNOWN.label) == "Delivery unknown"
