"""The forms of a list's conditions (core.lists.matching): which one is chosen changes no page, only its time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.lists import matching
from core.lists.matching import MAX_COUNTED
from tests.core.lists.app.models import Team
from tests.core.lists.helpers import NUMBER_FIELD, TEXT_FIELD, page, person
from tests.kit.rows import kept_for_module

pytestmark = pytest.mark.django_db
T1 = {"field": TEXT_FIELD, "operator": "equals", "value": "t1"}
ADULT = {"field": "age", "operator": "greaterThan", "value": 20}


def make_people() -> None:
    teams = [Team.objects.create(name=f"Team {i}") for i in range(3)]
    for i in range(48):
        custom: dict[str, Any] = {TEXT_FIELD: f"t{i % 3}"} if i % 4 else {}
        custom |= {NUMBER_FIELD: i % 7} if i % 5 else {}
        person(f"p{i:02}", age=i if i % 6 else None, team=teams[i % 3] if i % 2 else None, **custom)


@pytest.fixture(scope="module")
def _people(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with kept_for_module(django_db_blocker):
        make_people()
        yield


@pytest.fixture
def people(_people: None, db: None) -> None:
    """48 people, a third of whom have each value of the text field."""


def pages(**params: Any) -> list[str]:
    """The names of all pages by cursor, in order."""
    found = page(cursorPagination="true", n=9, **params)
    names, total = [row["name"] for row in found.rows], found.total_count
    while found.next_cursor is not None:
        found = page(n=9, cursor=found.next_cursor, **params)
        assert found.total_count == total
        names += [row["name"] for row in found.rows]
    assert len(names) == len(set(names)) == total
    return names


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["createdAt", "age", NUMBER_FIELD, TEXT_FIELD, "team.name", f"age,{NUMBER_FIELD}"])
@pytest.mark.parametrize(
    "tree", [T1, {"operator": "and", "conditions": [T1, ADULT]}, {"operator": "or", "conditions": [T1, ADULT]}]
)
def test_each_form_gives_the_same_pages(
    people: None, monkeypatch: pytest.MonkeyPatch, tree: dict[str, Any], sort: str, order: str
) -> None:
    asked = {"sortBy": sort, "sortOrder": order, "advancedFilters": json.dumps(tree)}
    monkeypatch.setattr(matching, "SOME_VALUES", -1)
    by_record = pages(**asked)
    monkeypatch.setattr(matching, "SOME_VALUES", 50_000)
    sorted_first = pages(**asked)
    monkeypatch.setattr(matching, "FEW_VALUES", -1)
    assert by_record == sorted_first == pages(**asked) != []


def test_the_total_of_a_search_is_capped_and_says_so(people: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAX_COUNTED", 20)
    monkeypatch.setattr("core.api.pagination.MAX_COUNTED", 20)
    asked = {"searchValue": "p", "sortBy": "name", "sortOrder": "asc"}
    first = page(p=1, n=10, **asked)
    assert (first.total_count, first.is_capped) == (20, True)
    assert first.members["totalCountIsCapped"] is True
    assert page(p=4, n=10, **asked).total_count == 40, "at least as many as have been shown"
    last = page(p=5, n=10, **asked)
    assert (last.total_count, last.is_capped) == (48, False)
    found = page(cursorPagination="true", n=40, **asked)
    second = page(n=40, cursor=found.next_cursor, **asked)
    assert (second.total_count, second.is_capped, len(second.rows)) == (20, True, 8)
    exact = page(p=1, n=10, searchValue="p1", sortBy="name")
    assert (exact.total_count, exact.is_capped, "totalCountIsCapped" in exact.members) == (10, False, False)


def test_a_filter_counts_all(people: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAX_COUNTED", 20)
    found = page(p=1, n=10, advancedFilters=json.dumps({"field": "name", "operator": "contains", "value": "p"}))
    assert (found.total_count, found.is_capped) == (48, False)
    assert MAX_COUNTED == 5000
