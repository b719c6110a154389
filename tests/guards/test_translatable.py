"""Texts of pages and of the back office stand in translate tags, so that a translator finds all of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from config.data_dir import PROJECT

ROOT = PROJECT / "templates"
TEMPLATES = sorted(path for path in ROOT.rglob("*") if path.is_file())
LANGUAGE = re.compile(r'<html[^>]*\blang="([a-z-]+)"')
"""A page that names a language itself, whatever the reader's is."""
TRANSLATED = re.compile(r"{% blocktranslate.*?%}.*?{% endblocktranslate %}", re.DOTALL)
VERBATIM = re.compile(r"{% verbatim %}.*?{% endverbatim %}", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}")
LITERAL = re.compile(r"""(_\()?(?:"([^"]*)"|'([^']*)')""")
LETTERS = re.compile(r"[^\W\d_]{2,}")
ATTRIBUTES = re.compile(r'(?:[a-z-]+="[^"]*"\s*)+')
"""A line of a template that is included within a tag."""
SILENT = {
    "if",
    "elif",
    "field_rows",
    "load",
    "static",
    "extends",
    "page_url",
    "may",
    "icon",
    "for",
    "day",
    "translate",
    "blocktranslate",
}
"""Template tags whose texts are names and codes."""
READ = {"alt", "aria-description", "aria-label", "data-label", "label", "placeholder", "title"}
"""Attributes that people read or hear."""
NAMES = {
    "Leadwright",
    "API",
    "HTML",
    "· API",
    "API · Leadwright",
    "CSV",
    "Excel",
    "PDF",
    "DKIM",
    "Ctrl K",
    "apikey",
    "webhook-id",
    ".ics",
    "ms",
}
"""Names of products, formats, keys and headers: the same in every language."""


class Page(HTMLParser):
    """Collect what people read in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is None:  # neither a style sheet nor a script
            self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in READ and value]


def untranslated(source: str) -> list[str]:
    """Return the texts of a template that are outside of translate tags."""
    source = VERBATIM.sub("", source)
    page = Page()
    page.feed(TAG.sub("", TRANSLATED.sub("", source)))
    texts = [text for data in page.texts for text in data.split("\n")]
    for tag in TAG.findall(source):
        if tag.startswith("{#") or tag[2:-2].split()[0] in SILENT:
            continue
        literals = [double or single for marked, double, single in LITERAL.findall(tag) if not marked]
        texts += [text for text in literals if text[:1].isupper() or " " in text.strip()]
    return [text for text in map(str.strip, texts) if is_text(text)]


def is_text(line: str) -> bool:
    """Return whether people read a line, which has neither names nor attributes alone."""
    return bool(LETTERS.search(line)) and line not in NAMES and not ATTRIBUTES.fullmatch(line)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('data-id="{{ id }}" data-at=""', []),
        ("<p>{% translate 'Save' %} {{ name }} · 3</p>", []),
        ('<p title="{% translate "Save" %}">{% blocktranslate %}All of it{% endblocktranslate %}</p>', []),
        ("<p>Save</p>", ["Save"]),
        ("<style>p { color: red }</style><script>go()</script><b>Save</b>", ["Save"]),
        ('<p aria-label="Save">{% if a == "Save" %}·{% endif %}</p>', ["Save"]),
        ('{% badge "Open" "ok" %}{% badge _("Open") "ok" %}{{ name|default:"no name" }}', ["Open", "no name"]),
    ],
)
def test_untranslated_texts_are_recognized(source: str, expected: list[str]) -> None:
    assert untranslated(source) == expected


def test_there_are_templates() -> None:
    assert len(TEMPLATES) > 400
    assert {path.suffix for path in TEMPLATES} == {".html", ".txt"}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_stand_in_translate_tags(template: Path) -> None:
    assert untranslated(template.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_name_the_active_language(template: Path) -> None:
    assert LANGUAGE.findall(template.read_text(encoding="utf-8")) == []
