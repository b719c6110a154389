"""Texts that are translated where they are shown."""

from __future__ import annotations

import json

import pytest
from django.template import engines

from core.text import translation
from core.text.translation import gettext_lazy, ngettext_lazy

TAGS = gettext_lazy("Tags")


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "gettext", {"Tags": "Schlagwörter <b>"}.__getitem__)


@pytest.mark.usefixtures("german")
def test_a_text_is_translated_where_it_is_shown_or_changed() -> None:
    shown = "Schlagwörter <b>"
    assert [str(TAGS), f"{TAGS}", TAGS + "", "" + TAGS, TAGS.strip(), TAGS[:]] == [shown] * 6
    assert TAGS.upper() == "SCHLAGWÖRTER <B>"
    drawn = engines["django"].from_string("{{ tags }}, {{ tags|lower }}").render({"tags": TAGS})
    assert drawn == "Schlagwörter &lt;b&gt;, schlagwörter &lt;b&gt;"


@pytest.mark.usefixtures("german")
def test_a_text_is_its_english_one_as_data() -> None:
    assert (TAGS == "Tags", {TAGS: 1}["Tags"], json.dumps([TAGS]), ", ".join(["All", TAGS])) == (
        True,
        1,
        '["Tags"]',
        "All, Tags",
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 tags on it"),
        (None, "0 tags on it"),
        (1, "1 tag on it"),
        (1.5, "1.5 tags on it"),
        (12_345, "12,345 tags on it"),
    ],
)
def test_a_text_about_a_number_has_its_plural_form(number: float | None, text: str) -> None:
    assert ngettext_lazy("%(count)s tag on %(place)s", "%(count)s tags on %(place)s").of(number, place="it") == text


def test_a_text_about_a_number_is_translated_where_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = ngettext_lazy("%(count)s tag", "%(count)s tags")
    forms = {"%(count)s tag": "%(count)s Schlagwort", "%(count)s tags": "%(count)s Schlagwörter"}
    monkeypatch.setattr(translation, "ngettext", lambda one, many, number: forms[one if number == 1 else many])
    assert (counted.of(1), counted.of(2)) == ("1 Schlagwort", "2 Schlagwörter")
