"""What the API refuses comes back at the fields that it names; and what a list's address says."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from core.web.filters import Choice
from core.web.forms import Field, Form, Option
from core.web.lists import Column, ListState

TAKEN = "Another record has this value already."


def form() -> Form:
    fields = [
        Field("name", "Name"),
        Field("email", "E-mail"),
        Field("size", "Size", "number"),
        Field("on", "On", "switch"),
    ]
    return Form(fields)


@pytest.mark.parametrize(
    ("message", "warning", "errors", "trouble"),
    [
        ("Bad", "formData.email: is wrong; name: is required", {"email": "Is wrong.", "name": "Is required."}, []),
        ("Bad", "email: has a; b in it", {"email": "Has a; b in it."}, []),
        ("Duplicate field(s): email", TAKEN, {"email": "Another record has this already."}, [TAKEN]),
        ("No room", "", {}, ["No room"]),
        ("Bad", "other: is wrong", {}, ["Bad", "Other: is wrong."]),
    ],
)
def test_refusals_find_their_fields(message: str, warning: str, errors: dict[str, str], trouble: list[str]) -> None:
    made = form()
    made.refuse(message, warning)
    assert {one.name: one.error for one in made.wrong} == errors
    assert made.trouble == trouble


def test_values_have_the_types_of_the_api() -> None:
    made = form().fill(QueryDict("name= Ann &size=12&on=on&email="))
    assert made.values == {"name": "Ann", "email": "", "size": 12, "on": True}
    assert form().fill(QueryDict("size=1.5")).values["size"] == 1.5
    assert form().fill(QueryDict("size=many")).values["size"] == "many"
    assert made.changed({"name": "Ann", "size": 13, "email": None, "on": True}) == {"size": 12}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("(utc+01:00) europe/berlin", "Europe/Berlin"),
        ("europe", "europe"),  # several: the API refuses it
        ("Moon", "Moon"),
        ("", ""),
    ],
)
def test_one_of_many_options_is_found_by_a_part_of_it(typed: str, found: str) -> None:
    zones = [Option(f"Europe/{town}", f"(UTC+01:00) Europe/{town}") for town in ("Berlin", "Paris")]
    form = Form([Field("zone", "Time zone", "search", options=[*zones, Option("America/New_York", "(UTC-05:00)")])])
    sent = QueryDict(mutable=True)
    sent["zone"] = typed
    assert form.fill(sent).values == {"zone": found}


def test_a_lists_address_says_everything() -> None:
    choices = {"city": Choice("city", "City"), "tags": Choice("tags", "Tag", ("in",), (("1", "Fair"),))}
    address = "q=a%26b&f=city:contains:Bo%3Ann&f=tags:in:1&f=x:y:z&f=city:isEmpty:&sort=-name&cursor=c"
    state = ListState(QueryDict(address), choices)
    assert state.query() == {
        "n": "50",
        "cursorPagination": "true",
        "searchValue": "a&b",
        "advancedFilters": {
            "operator": "and",
            "conditions": [
                {"field": "city", "operator": "contains", "value": "Bo:nn"},
                {"field": "tags", "operator": "in", "value": ["1"]},
                {"field": "city", "operator": "isEmpty"},
            ],
        },
        "sortBy": "name",
        "sortOrder": "desc",
        "cursor": "c",
    }
    assert [(chip.label, chip.operator, chip.value) for chip in state.chips] == [
        ("City", "contains", "Bo:nn"),
        ("Tag", "is", "Fair"),
        ("City", "is empty", ""),
    ]
    assert "Bo" not in state.chips[0].without
    assert state.sorted_by(Column("name", "Name", "name"))[0] == "descending"
    assert "cursor" not in state.link()
    assert state.more("next", 50) == (state.link(cursor="next", seen="50"), True)
