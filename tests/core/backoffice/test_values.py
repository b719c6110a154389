"""What the back office writes in the place of raw values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from core.backoffice.values import NOTHING, display_value, duration_text, plain_text, relative_time
from core.text.labels.words import code_label, name_label

NOW = dt.datetime(2026, 11, 24, 12, 0, tzinfo=dt.UTC)
ID = "6b0529783230ce64b692e3aa"


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_nothing_is_a_dash(value: Any) -> None:
    assert display_value(value) is NOTHING


@pytest.mark.parametrize(
    ("value", "name", "currency", "expected"),
    [
        (True, "", "", "Yes"),
        (False, "", "", "No"),
        (Decimal("674.0000"), "value", "", "674"),
        (Decimal("674.5000"), "amount", "EUR", "€674.50"),
        (459000, "total_minor", "USD", "$4,590.00"),
        (500, "amount_minor", "JPY", "¥500"),
        (Decimal("19.00"), "percent", "EUR", "19%"),
        (1234567, "processed", "", "1,234,567"),
        (1025, "port", "", "1025"),
        (224, "busy_ms", "", "224 ms"),
        (5_400_000, "interval_ms", "", "1.5 h"),
        ("+447400123456", "", "", "+44 7400 123456"),
        ("awaiting_approval", "reason", "", "Needs approval"),
        ("contact.created", "kind", "", "A contact is created"),
        ("genie.created", "", "", "An outreach is started"),
        ("follow-up.created", "kind", "", "A task of a lead is created"),
        (["contact.*", "mail.sent"], "events", "", "Contacts: all events, An email is sent"),
        ("ai-b", "provider", "", "OpenAI or compatible"),
        ("offline-composer", "provider", "", "Built-in writer"),
        ("mailvendor-a", "channel", "", "Brevo"),
        ("brevo", "vendor", "", "Brevo"),
        ("brevo", "name", "", "brevo"),
        ("link-template", "provider", "", "Own video server"),
        ("in_reply_to", "matched_by", "", "In reply to"),
        ("jobTitle", "field", "", "Job title"),
        ("iPhone", "name", "", "iPhone"),
        ({"type": "followUp", "range": "thisMonth"}, "", "", "TypeTaskRangeThis month"),
        ("on_its_way", "name", "", "on_its_way"),
        ("contacts.csv", "name", "", "contacts.csv"),
        (dt.date(2026, 1, 31), "", "", "31 Jan 2026"),
        (dt.time(9, 0), "", "", "09:00"),
        (["red", "blue"], "", "", "red, blue"),
        ({"amount": 3, "unit": "days"}, "", "", "3 days"),
        ({"amount": 1, "unit": "days"}, "", "", "1 day"),
    ],
)
def test_values(value: Any, name: str, currency: str, expected: str) -> None:
    assert strip_tags(display_value(value, name=name, currency=currency)).replace("\xa0", " ") == expected


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (0, "just now"),
        (-10, "in 1 min"),
        (60 * 7, "7 min ago"),
        (3600 * 3, "3 h ago"),
        (86400, "1 d ago"),
        (86400 * 3, "3 d ago"),
        (-86400 * 3, "in 3 d"),
        (86400 * 12, "12 Nov 2026"),
        (86400 * 40, "15 Oct 2026"),
    ],
)
def test_times_are_relative_in_lists(ago: int, expected: str) -> None:
    assert relative_time(NOW - dt.timedelta(seconds=ago), NOW) == expected


def test_a_time_has_its_exact_form_for_the_script_and_the_tooltip() -> None:
    exact = display_value(NOW)
    assert 'datetime="2026-11-24T12:00:00+00:00"' in exact
    assert "data-exact" in exact
    assert strip_tags(exact) == "24 Nov 2026, 12:00 UTC"
    assert "data-exact" not in display_value(NOW, brief=True)


def test_json_is_names_and_values_and_objects_are_a_table() -> None:
    found = display_value(
        {"firstName": "Ann", "empty": None, "rows": [{"row": 2, "text": "<b>"}, {"row": 3, "text": "no"}]}
    )
    assert "<dt>First name</dt><dd>Ann</dd>" in found
    assert "empty" not in found.lower()
    assert '<th scope="col">Row</th><th scope="col">Text</th>' in found
    assert "<td>2</td><td>&lt;b&gt;</td>" in found
    assert "{" not in found


def test_ids_are_names_where_there_is_one_and_short_otherwise() -> None:
    assert display_value([ID], names={ID: "Newsletter"}) == "Newsletter"
    assert strip_tags(display_value(ID)) == "…92e3aa"
    assert f'title="{ID}"' in display_value(ID)
    assert strip_tags(display_value(f"inv:{ID}", brief=True)) == "inv:…92e3aa"


def test_long_texts_are_cut_in_lists_alone() -> None:
    text = "word " * 60
    assert strip_tags(display_value(text, brief=True)).endswith("…")
    assert strip_tags(display_value(text)) == text
    assert not isinstance(display_value("<script>", brief=True), SafeString), (
        "what people wrote is escaped where it is shown"
    )


def test_words() -> None:
    names = ("_id", "createdAt", "is_active", "uniqueFieldID", "contactIds", "smtp", "ip_restriction", "last_used_at")
    assert [name_label(name) for name in names] == [
        *("Id", "Created", "Active", "Technical name", "Contacts", "Sender", "IP restriction", "Last used"),
    ]
    assert (code_label("no_code"), code_label("No Code"), code_label("a1_b")) == ("No code", "No Code", "a1_b")
    assert plain_text('<a href="x">Ann</a>') == "Ann"
    assert [duration_text(seconds).replace("\xa0", " ") for seconds in (0.02, 5.25, 90, 7200, 259_200)] == [
        *("20 ms", "5.2 s", "1.5 min", "2 h", "3 days"),
    ]
