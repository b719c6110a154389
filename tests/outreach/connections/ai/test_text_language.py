"""The language of a text, by its words."""

from __future__ import annotations

import pytest

from outreach.connections.ai.providers.text_language import language_of_text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Sommerfest 2026", ""),
        ("", ""),
        ("Bäckerei Korn", "German"),
        ("We open our new bakery on 1 December", "English"),
        ("Nous ouvrons notre nouvelle boulangerie", "French"),
        ("Abrimos nuestra nueva panadería", "Spanish"),
        ("Wir eröffnen unsere neue Bäckerei", "German"),
        ("l'ouverture", "French"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of_text(text) == language
