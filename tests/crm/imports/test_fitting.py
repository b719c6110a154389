"""Columns of another system's stages, owners and teams: left out of the proposal, and named by the check."""

from __future__ import annotations

from typing import Any

import pytest

from crm.imports.readers.new_fields import ColumnCounter, proposed_fields
from tests.crm.imports.helpers import csv_of, upload
from tests.crm.leads.helpers import member, team_of
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory

DEALS = "Email,Deal Stage,Deal owner,Team,Category,Source"


def lead_import(cast: Cast, lines: list[str], header: str = DEALS, **body: Any) -> Any:
    sent = {"importType": "lead", "fileId": upload(cast, csv_of(lines, header)), **body}
    answer = cast.session.post("/lead/import", sent)
    assert answer.status == 201, answer.body
    return answer.data["import"]


def test_columns_of_which_no_value_is_known_are_left_out(cast: Cast) -> None:
    lines = ["a@fern.example,Demo held,Nina Smith,West,Gold,Trade show", "b@fern.example,Won in May,,West,,N/A"]
    found = lead_import(cast, lines)
    assert found["columnMapping"] == {"Email": "email"}
    kept = {one["column"] for one in found["proposedFields"] if one["preselected"]}
    assert "Deal Stage" in kept


def test_columns_with_a_known_value_stay(cast: Cast) -> None:
    with cast.scope():
        team_of("West", member(name="Nina Smith"))
        ContactCategoryFactory(name="Gold")
    lines = ["a@fern.example,QUALIFIED,Nina Smith,west,GOLD,event", "b@fern.example,Odd,Nobody,East,Tin,Radio"]
    assert lead_import(cast, lines)["columnMapping"] == {
        "Email": "email",
        "Deal Stage": "stage",
        "Deal owner": "teamMember",
        "Team": "team",
        "Category": "category",
        "Source": "source",
    }


def test_the_check_counts_each_unknown_value_once(cast: Cast) -> None:
    lines = [f"p{number}@fern.example,{'Signed' if number % 3 else 'Lost deal'}" for number in range(6)]
    lines.append("Total,6")
    mapping = {"Email": "email", "Deal Stage": "status"}
    job = lead_import(cast, lines, "Email,Deal Stage", columnMapping=mapping)
    checked = cast.session.post(f"/lead/import/{job['_id']}/check").data
    assert checked["unknownValues"] == [
        {"column": "Deal Stage", "value": "Signed", "rows": 4},
        {"column": "Deal Stage", "value": "Lost deal", "rows": 2},
    ]
    assert (checked["failed"], checked["noRecords"]) == (7, 1)


@pytest.mark.parametrize(
    ("header", "cells", "kept"),
    [
        ("GMTOFF", ["1", "2", "3"], False),
        ("EUID", ["a1", "b2", "c3"], False),
        ("CONFIRM_TIME", ["2023-11-02 08:15:22", "2024-02-10 12:30:00", ""], True),
        ("OPTIN_TIME", ["2023-11-02 08:15:22"] * 3, True),
        ("Email Type", ["SMTP"] * 3, False),
        ("Newsletter", [True, True, True], False),
        ("Company", ["Fern"] * 3, True),
        ("Seats", [5, 5, 5], False),
        ("Seats", [5, 5, None], True),
        ("Seats", [5, 5], True),
    ],
)
def test_columns_that_say_nothing_are_not_preselected(header: str, cells: list[Any], kept: bool) -> None:
    counter = ColumnCounter([header])
    for cell in cells:
        counter.add([cell or None])
    assert proposed_fields([header], counter.facts(), {})[0]["preselected"] is kept
