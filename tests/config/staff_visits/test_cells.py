"""How pages of visits show values: secrets hidden at any depth, the rest in words."""

from __future__ import annotations

import pytest
from rest_framework import serializers

from config.staff_visits.cells import filled_columns, format_cell, record_entries, text
from config.urls import session
from core.api.output import Computed, IdField, Output
from core.web.visits import HIDDEN, hide_secrets
from tests.kit.cast import Cast


class Inner(Output):
    conceals = ("url",)
    _id = IdField()
    url = serializers.CharField()


class Outer(Output):
    conceals = ("pin",)
    _id = IdField()
    createdAt = serializers.DateTimeField()
    name = serializers.CharField()
    pin = serializers.CharField()
    one = Inner()
    many = Computed(serializers.ListField(child=Inner()))
    group = Computed(Inner(many=True))


def test_what_an_output_conceals_is_hidden_at_any_depth() -> None:
    inner = {"_id": "a" * 24, "url": "https://example.com/secret-link"}
    shown = hide_secrets([{"pin": "1234", "one": inner, "many": [inner], "group": [inner], "url": "kept"}], Outer)
    hidden = {"_id": "a" * 24, "url": HIDDEN}
    assert shown == [{"pin": HIDDEN, "one": hidden, "many": [hidden], "group": [hidden], "url": "kept"}]


@pytest.mark.parametrize(
    "name", ["key", "password", "smtpPassword", "apiKey", "clientSecret", "accessToken", "credentials", "private_key"]
)
def test_names_of_secrets_are_hidden_wherever_they_come(name: str) -> None:
    assert hide_secrets({"deep": {name: "x"}}, None) == {"deep": {name: HIDDEN}}
    assert hide_secrets({name: ""}, None) == {name: ""}


@pytest.mark.parametrize("name", ["maskedKey", "uniqueKey", "keyword", "tokens", "passwordChangedAt", "uniqueFieldID"])
def test_other_names_are_not(name: str) -> None:
    assert hide_secrets({name: "x"}, None) == {name: "x"}


def test_values_in_words(cast: Cast) -> None:
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("Europe/Berlin")
    record = {"_id": "a" * 24, "name": "Ann", "email": "ann@example.com"}
    assert [text(value, zone) for value in (None, "", [], {}, True, False, 0, 7)] == [
        "–",
        "–",
        "–",
        "–",
        "yes",
        "no",
        "0",
        "7",
    ]
    assert text("2026-05-03T12:00:00.000Z", zone) == "3 May 2026, 14:00"
    assert text("2026-05-03", zone) == "2026-05-03"
    assert text(record, zone) == "Ann"
    assert text([record, {"_id": "b" * 24, "email": "bob@example.com"}], zone) == "Ann, bob@example.com"
    assert text({"firstName": "Ann", "empty": None}, zone) == "First name: Ann"
    errors = [{"_id": "c" * 24, "row": 2, "message": "no"}, {"_id": "d" * 24, "row": 3, "message": "neither"}]
    assert text(errors[0], zone) == f"Id: {'c' * 24}; Row: 2; Message: no"
    assert text([{"row": 2}, {"row": 3}], zone) == "Row: 2\nRow: 3"
    assert text({"_id": "c" * 24}, zone) == "c" * 24
    long = format_cell("word " * 40, zone)
    assert (len(long.text), long.text[-1], long.whole) == (80, "…", "word " * 40)
    assert format_cell("short", zone).whole == ""


def test_order_of_columns_and_entries() -> None:
    from datetime import UTC

    rows = [{"_id": "a" * 24, "group": [1], "url": HIDDEN, "createdAt": "x", "name": "n", "pin": None, "new": 1}]
    assert filled_columns(rows, Outer) == ["name", "group", "new", "createdAt"]
    found = record_entries({"createdAt": "c", "settings": {"a": {"b": 1}}, "name": "n"}, UTC, Outer)
    assert [one.name for one in found] == ["Name", "Settings", "Created"]
    assert [(one.name, one.text, one.inner) for one in found[1].inner] == [("A", "B: 1", [])]


def test_an_operation_knows_what_its_handler_declares() -> None:
    assert next(one for one in session.router.operations() if str(one) == "GET contact").endpoint.many is True
