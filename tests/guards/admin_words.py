"""People's words in the back office: no id stands for a record, no JSON for a value, no code for a kind."""

from __future__ import annotations

import re
from html import unescape

from django.db import models
from django.utils.html import strip_tags

from core.backoffice.display import FOLDED
from core.events.kinds import EVENT_KINDS
from core.tenancy import unscoped

ID = re.compile(r"\b[0-9a-f]{24}\b", re.ASCII)
JSON = re.compile(r"""[\[{]\s*["']|["']\s*:\s|\[\]|\{\}""")
CODE_WORDS = re.compile(
    r"\b(genie|scheduler|kernel|chore|send ?jobs?|idempotency|deliverys|inboxs|readys|smtp|ocr)\b", re.IGNORECASE
)
PROVIDER_KEYS = re.compile(
    r"(?<![/\w.-])(?:ai-[ab]|ai-offline|offline-composer|mailvendor-[a-h]|link-template)(?![/\w-])"
)
WRONG_PLURAL = re.compile(r"(?<![aeiou])ys\b|(?<!\blo)(?:x|ch|sh|s)s\b")  # a loss is no plural
"""Words in y after a consonant, and in s, x, ch or sh, have another plural, which Django does not make."""


def check_title(row: models.Model) -> None:
    """Check that the record is called what people call it."""
    with unscoped(reason="test: the title of one record"):
        title = str(type(row)._base_manager.get(pk=row.pk))
    label = row._meta.label
    assert title.strip(), f"{label} has an empty title"
    assert title != row.pk or not ID.search(title), f"{label} is called by its id"
    assert not ID.search(title), f"{label} is called {title}"
    assert f"{type(row).__name__} object" not in title, f"{label} has no __str__"


def check_page(path: str, page: str) -> None:
    """Check the words of a page: its title, and all of it up to what is folded away, but for a form's inputs."""
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    assert title is not None
    text = _read(page)
    for where, part in (("the title", title[1]), ("the page", text)):
        assert not ID.search(part), f"{path}: {where} shows {ID.search(part)}"
    found = JSON.search(text)
    assert found is None, f"{path} shows JSON: {text[max(0, found.start() - 60) : found.end() + 60]!r}"
    assert not (kinds := EVENT_KINDS.intersection(text.split())), f"{path} shows kinds of events: {kinds}"
    assert not PROVIDER_KEYS.search(text), f"{path} shows the key of a provider: {PROVIDER_KEYS.search(text)}"
    assert "object at 0x" not in text
    assert "✕" not in text


def _read(page: str) -> str:
    """Return what people read of a page, without its menu."""
    body = page[page.index('id="content-main"') :].partition(FOLDED)[0]
    body = re.sub(r"<(script|style|textarea|select)\b.*?</\1>", "", body, flags=re.DOTALL)
    return unescape(strip_tags(body))
