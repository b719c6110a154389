"""Texts that are translated where they are shown."""

from __future__ import annotations

import json

import pytest
from django.template import engines

from core.text import translation
from core.text.translation import gettext_lazy

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
