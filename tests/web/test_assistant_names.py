"""Names of records in the assistant's answers lead to the records."""

from __future__ import annotations

from typing import Any

import pytest

from outreach.insights.crm_chat.pages import linked_names

EVIDENCE: list[dict[str, Any]] = [
    {
        "records": [
            {"name": "Ann Lee", "page": "/c/1/leads/1"},
            {"name": "Ann Lee Roe", "page": "/c/1/leads/2"},
            {"name": "C++ (Ltd.)", "page": "/c/1/leads/3"},
            {"name": "Bob", "page": ""},
        ]
    },
    {"groups": []},
]


@pytest.mark.parametrize(
    ("answer", "pieces"),
    [
        ("", []),
        ("Nobody.", [("Nobody.", "")]),
        ("– Ann Lee, won", [("– ", ""), ("Ann Lee", "/c/1/leads/1"), (", won", "")]),
        ("Ann Lee Roe and Bob", [("Ann Lee Roe", "/c/1/leads/2"), (" and Bob", "")]),
        ("Ann Leeds", [("Ann Leeds", "")]),
        ("C++ (Ltd.): 3", [("C++ (Ltd.)", "/c/1/leads/3"), (": 3", "")]),
    ],
)
def test_names_of_records_are_links(answer: str, pieces: list[tuple[str, str]]) -> None:
    assert linked_names(answer, EVIDENCE) == pieces


def test_an_answer_without_records_is_one_piece() -> None:
    assert linked_names("There are 4 leads.", [{"records": []}]) == [("There are 4 leads.", "")]
