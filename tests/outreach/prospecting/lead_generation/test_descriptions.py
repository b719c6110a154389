"""What a description says: the places where people are looked for, and what they are to be told."""

from __future__ import annotations

import pytest

from outreach.connections.ai.providers.base import ContactBrief
from outreach.connections.ai.providers.places import Place, is_there, places_of
from outreach.connections.ai.providers.purpose import read_purpose


@pytest.mark.parametrize(
    ("text", "who", "what"),
    [
        ("Marketing managers in Berlin, to invite them to our open day", "Marketing managers in Berlin", "invite them"),
        ("Invite bakers in Rome to our tasting", "bakers in Rome", "Invite them to our tasting"),
        ("Sell our coffee to restaurants in Hamburg", "restaurants in Hamburg", "Sell our coffee"),
        ("Find bakers in Rome and offer them 10 % off", "Find bakers in Rome", "offer them 10 % off"),
        ("Bakers. They bake at night. Tell them about our oven.", "Bakers. They bake at night", "Tell them about"),
        ("Cafés in Bern. We roast coffee in small batches", "Cafés in Bern", "We roast coffee"),
        ("Architekten in Wien, um sie einzuladen", "Architekten in Wien", ""),
        ("Find sales people who want to sell more", "Find sales people who want to sell more", ""),
        ("People who like coffee", "People who like coffee", ""),
    ],
)
def test_whom_it_looks_for_is_told_from_what_they_are_told(text: str, who: str, what: str) -> None:
    found = read_purpose(text)
    assert found.who == who
    assert found.what.startswith(what)
    assert bool(found.what) == bool(what)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("managers in Berlin or Hamburg", [Place("Berlin"), Place("Hamburg")]),
        ("managers in berlin, germany and Paris", [Place("berlin", within="DE"), Place("Paris")]),
        ("bakers in the USA with 50 people", [Place("USA", country="US")]),
        ("bakers from new york who deliver", [Place("new york")]),
        ("bakers in München", [Place("München", known=False)]),
        ("people in marketing from companies in Rome", [Place("Rome")]),
        ("people in Sales, in it and in general", []),
    ],
)
def test_places_are_what_is_called_so(text: str, places: list[Place]) -> None:
    assert list(places_of(text)) == places


@pytest.mark.parametrize(
    ("text", "fields", "there"),
    [
        ("in Berlin", {"City": "Berlin"}, True),
        ("in Berlin", {"City": "Berlin-Mitte"}, True),
        ("in Bern", {"City": "Berne"}, False),
        ("in York", {"City": "New Yorker Platz"}, False),
        ("in Berlin", {"City": "Rome", "Job": "Sells to Berlin"}, False),
        ("in Berlin", {"Job": "Manager in Berlin"}, True),
        ("in Vienna, Austria", {"City": "Vienna", "Country": "United States"}, False),
        ("in Germany", {"Country": "DE"}, True),
        ("in Germany", {"City": "Hamburg"}, True),
        ("in Germany", {"City": "Rome"}, False),
        ("in München", {"Office city": "München"}, True),
        ("who bake", {}, True),
    ],
)
def test_somebody_is_where_their_fields_say(text: str, fields: dict[str, str], there: bool) -> None:
    somebody = ContactBrief(name="Jack London", fields=fields)
    assert is_there(places_of(f"Bakers {text}"), somebody) is there
    assert not is_there(places_of("Bakers in London"), somebody)
