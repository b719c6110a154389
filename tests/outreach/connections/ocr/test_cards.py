"""Business cards: what is made of their lines."""

from __future__ import annotations

import pytest

from outreach.connections.ocr.cards import FIELDS, Line, read_card

CARDS = {
    "german": (
        ["Bergmann & Söhne GmbH", "Jürgen Möller", "Leiter Vertrieb", "Tel 030 901820 11 / Fax 030 901820 99"]
        + ["Mobil +49 151 23456789", "E-Mail: juergen.moeller@bergmann-soehne.de", "www.bergmann-soehne.de"],
        ["Jürgen Möller", "Bergmann & Söhne GmbH", "juergen.moeller@bergmann-soehne.de", "+4915123456789"]
        + ["https://www.bergmann-soehne.de"],
    ),
    "short": (
        ["ACME", "Ann O'Neill", "CEO", "a.oneill@acme.co.uk", "+44 20 7946 0018", "12 High Street, London"],
        ["Ann O'Neill", "ACME", "a.oneill@acme.co.uk", "+442079460018", None],
    ),
    "free mail": (
        ["Marie Curie", "Physicist", "radium88 (at) gmail.com", "T: 06 12 34 56 78"],
        ["Marie Curie", None, "radium88@gmail.com", "+33612345678", None],
    ),
    "spaces, one line": (
        ["Bob Stone | bob @ stone.io | stone.io", "Fax: +1 212 555 0199"],
        ["Bob Stone", None, "bob@stone.io", None, "https://stone.io"],
    ),
    "nothing": (["\x00\u202e", "!!!", "1234", "x" * 5000, "=HYPERLINK(1)"], [None] * 5),
}
REGIONS = {"german": "DE", "free mail": "FR"}


@pytest.mark.parametrize("name", CARDS)
def test_the_lines_of_a_card_become_fields(name: str) -> None:
    lines, wanted = CARDS[name]
    found = read_card([Line(text) for text in lines], region=REGIONS.get(name, ""))
    assert [found[field].value if field in found else None for field in FIELDS] == wanted


def test_how_sure_a_field_is() -> None:
    """What was read badly is not sure, nor is a name that no address tells of."""
    lines = [Line("Ann Lee", 0.98, 40), Line("Head Office", 0.99, 20), Line("info@lee.example", 0.5)]
    found = read_card([*lines, Line("Lee Ltd", 7)])
    assert {field: round(one.confidence, 3) for field, one in found.items()} == {
        "name": 0.686,
        "company": 1.0,
        "email": 0.5,
    }
    assert read_card([Line("Ann Lee", 0.98), Line("ann.lee@lee.example")])["name"].confidence == 0.98
