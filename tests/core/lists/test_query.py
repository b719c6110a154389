"""The query parameters of the standard list contract: what they do, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import QueryDict

from core.errors import InvalidFormat, NamedError
from core.ids import new_id
from core.lists import FieldSet, ListField, ListQuery
from core.lists.query import MAX_SIZE
from tests.core.lists.app.models import Label, Team
from tests.core.lists.helpers import FIELDS, NUMBER_FIELD, TEXT_FIELD, names, page, parse, person

pytestmark = pytest.mark.django_db


def refusal(**params: Any) -> str:
    with pytest.raises(NamedError) as error:
        parse(**params)
    assert error.value.name == "InvalidRequest_400"
    return error.value.detail


def sort_of(**params: Any) -> list[str]:
    return [f"{name} {order}" for name, order in parse(**params).sort_names]


def test_pages_only_when_both_p_and_n_are_sent() -> None:
    assert (parse(p=2, n=10).page, parse(p=2, n=10).size) == (2, 10)
    assert [parse(**sent).paginated for sent in ({}, {"p": 1}, {"n": 10})] == [False, False, False]


def test_cursor_mode_needs_n() -> None:
    assert parse(cursorPagination="true", n=5).size == 5
    assert parse(cursorPagination="true", n=5, p=3).page is None
    assert parse(cursorPagination="false", n=5).paginated is False
    assert refusal(cursorPagination="true").startswith("n: cursor pagination needs a page size")
    assert refusal(cursorPagination="true", p=1).startswith("n: cursor pagination needs a page size")


def test_a_page_size_over_the_cap_is_capped() -> None:
    assert parse(p=1, n=MAX_SIZE).size == 100_000
    assert parse(p=1, n=MAX_SIZE + 1).size == 100_000
    assert parse(p=1, n="9" * 999).size == 100_000


def test_sort() -> None:
    assert sort_of() == ["createdAt desc", "name desc"]
    assert sort_of(sortOrder="asc") == ["createdAt asc", "name desc"]
    assert sort_of(sortBy="name, age", sortOrder="ASC") == ["name asc", "age desc"]
    assert sort_of(sortBy=f"{NUMBER_FIELD},team.name", sortOrder="asc,desc") == [
        f"{NUMBER_FIELD} asc",
        "team.name desc",
    ]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"p": 0, "n": 1}, "p: needs to be a whole number from 1 on, got '0'"),
        ({"p": 1, "n": 0}, "n: needs to be a whole number from 1 on, got '0'"),
        ({"p": 1, "n": -1}, "n: needs to be a whole number from 1 on, got '-1'"),
        ({"p": 1, "n": "ten"}, "n: needs to be a whole number from 1 on, got 'ten'"),
        ({"p": 1, "n": "1.5"}, "n: needs to be a whole number from 1 on, got '1.5'"),
        ({"p": 1, "n": "١"}, "n: needs to be a whole number from 1 on, got '١'"),
        ({"p": "", "n": 1}, "p: needs to be a whole number from 1 on, got ''"),
        ({"p": "x"}, "p: needs to be a whole number from 1 on, got 'x'"),
        ({"p": 2**31, "n": 1}, "p: at most 2147483647 is allowed"),
        ({"p": "9" * 5000, "n": 1}, "p: needs to be a whole number from 1 on, got"),
        ({"cursorPagination": "yes", "n": 1}, "cursorPagination: needs to be true or false, got 'yes'"),
        ({"sortBy": "nope"}, "sortBy: the field 'nope' is unknown; fields to sort by: _id, name, createdAt"),
        ({"sortBy": "labels"}, "sortBy: the field 'labels' is not one to sort by"),
        ({"sortBy": "hidden"}, "sortBy: the field 'hidden' is not one to sort by"),
        ({"sortBy": "name,"}, "sortBy: the field '' is unknown"),
        ({"sortBy": "name,name"}, "sortBy: names a field twice"),
        ({"sortBy": "name,age,email,score,born,active"}, "sortBy: has 6 fields, at most 5 are allowed"),
        ({"sortBy": "name", "sortOrder": "up"}, "sortOrder: each order is asc or desc, not 'up'"),
        ({"sortBy": "name", "sortOrder": "asc,asc"}, "sortOrder: has 2 orders for 1 fields of sortBy"),
        ({"sortOrder": "asc,asc,asc"}, "sortOrder: has 3 orders for 2 fields of sortBy"),
        (
            {"searchBy": "age", "searchValue": "x"},
            "searchBy: the field 'age' is not one to search in; fields to search in: name, email",
        ),
        ({"searchBy": "nope"}, "searchBy: the field 'nope' is unknown"),
        ({"searchValue": "a\0"}, "searchValue: the text holds a NUL character"),
        ({"searchValue": "x" * 501}, "searchValue: the text is 501 characters long, at most 500 are allowed"),
        ({"filters": "{"}, "filters: is not JSON"),
        ({"filters": ""}, "filters: is empty; leave it out"),
        ({"filters": "null"}, "filters: is empty; leave it out"),
        ({"filters": " null"}, "filters: is null; leave it out"),
        ({"advancedFilters": ""}, "advancedFilters: is empty; leave it out"),
        ({"ids": ""}, "ids: is empty; leave it out"),
        ({"nids": ""}, "nids: is empty; leave it out"),
        ({"filters": "[]"}, "filters: needs a JSON object of fields and values"),
        ({"filters": '{"age": {"gt": 3}}'}, "filters: field 'age': needs a number, got an object"),
        ({"filters": '{"age": [[3]]}'}, "filters: field 'age': needs a number, got an array"),
        ({"filters": '{"age": "3"}'}, "filters: field 'age': needs a number, got '3'"),
        ({"filters": '{"nope": 3}'}, "filters: the field 'nope' is unknown"),
        ({"filters": '{"age": 1e999999999}'}, "filters: field 'age': the number is out of range"),
        ({"filters": '{"age": ' + "9" * 5000 + "}"}, "filters: is not JSON"),
        ({"advancedFilters": "nope"}, "advancedFilters: is not JSON"),
        ({"limit": 3}, "limit: is an unknown parameter; known: advancedFilters, cursor"),
    ],
)
def test_refusal_names_the_parameter(params: dict[str, Any], expected: str) -> None:
    assert refusal(**params).startswith(expected)


@pytest.mark.parametrize(("name", "value"), [("ids", "12"), ("nids", f"{'a' * 24},{'A' * 24}"), ("ids", ",")])
def test_malformed_ids(name: str, value: str) -> None:
    with pytest.raises(InvalidFormat) as error:
        parse(**{name: value})
    assert error.value.message == f"Invalid format for field {name}: {value.split(',')[-1]}"


def test_extra_parameters_are_declared() -> None:
    assert ListQuery.parse({"panel": "lead"}, FIELDS, extra={"panel"}).paginated is False


def test_search() -> None:
    person("Ann", email="x@example.com", labels=[Label.objects.create(name="Hot")])
    person("Bob", email="ann@example.com", **{TEXT_FIELD: "Hotel"})
    person("Cid", team=Team.objects.create(name="hot line"))
    assert names(searchValue="ANN") == ["Ann", "Bob"]
    assert names(searchValue="ann", searchBy="name") == ["Ann"]
    assert names(searchValue="hot", searchBy=f"labels.name,{TEXT_FIELD},team.name") == ["Ann", "Bob", "Cid"]
    assert names(searchValue="", searchBy="name") == ["Ann", "Bob", "Cid"]
    assert names(searchValue="%") == []


def test_search_without_default_fields_needs_search_by() -> None:
    fields = FieldSet([ListField("name", "text", "name", searchable=True)], default_sort=("name",))
    with pytest.raises(NamedError) as error:
        ListQuery.parse({"searchValue": "x"}, fields)
    assert error.value.detail.startswith("searchBy: this list has no fields that are searched by default")


def test_filters_and_ids_all_must_hold() -> None:
    sales = Team.objects.create(name="Sales")
    ann, bob, cid = person("Ann", age=1, team=sales), person("Bob", age=2, team=sales), person("Cid", age=2)
    assert names(filters=json.dumps({"team": sales.id})) == ["Ann", "Bob"]
    assert names(filters=json.dumps({"team": sales.id, "age": [2, 3]})) == ["Bob"]
    assert names(filters=json.dumps({"team": None})) == ["Cid"]
    assert names(filters="{}") == ["Ann", "Bob", "Cid"]
    assert names(searchValue="", searchBy="", sortBy="name", sortOrder="asc") == ["Ann", "Bob", "Cid"]
    assert names(ids=f"{ann.id}, {cid.id}") == ["Ann", "Cid"]
    assert names(nids=ann.id) == ["Bob", "Cid"]
    assert names(ids=f"{ann.id},{bob.id}", nids=ann.id, filters='{"age": 2}') == ["Bob"]
    assert names(ids=new_id()) == []
    tree = {"operator": "or", "conditions": [{"field": "age", "operator": "equals", "value": 1}]}
    assert names(advancedFilters=json.dumps(tree), filters=json.dumps({"team": sales.id})) == ["Ann"]


def test_repeated_parameters_join() -> None:
    ann, bob = person("Ann"), person("Bob")
    query = ListQuery.parse(QueryDict(f"ids={ann.id}&ids={bob.id}&sortBy=age&sortBy=name"), FIELDS)
    assert query.sort_names == (("age", "desc"), ("name", "desc"))
    assert query.where.deconstruct()[2] == {}
    assert page(ids=f"{ann.id},{bob.id}", p=1, n=10).total_count == 2


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('filters={"age":1}&filters={}', "filters: is there twice; send it once"),
        ("searchValue=a&searchValue=b", "searchValue: is there twice"),
        ('filters={"age":1,"age":2}', "filters: names 'age' twice"),
        ('advancedFilters={"operator":"or","conditions":[]}', "advancedFilters: an or needs conditions"),
    ],
)
def test_no_value_is_lost_in_silence(query: str, expected: str) -> None:
    with pytest.raises(NamedError) as error:
        ListQuery.parse(QueryDict(query), FIELDS)
    assert error.value.detail.startswith(expected)


def test_only_text_can_be_declared_searchable() -> None:
    with pytest.raises(ValueError, match="only text can be searched"):
        ListField("age", "number", "age", searchable=True)
    with pytest.raises(ValueError, match="the type is one of text, number, boolean, date, id"):
        ListField("age", "integer", "age")
    with pytest.raises(ValueError, match="default_sort: 'createdAt' is no sortable field"):
        FieldSet([ListField("name", "text", "name")])
