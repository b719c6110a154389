"""Bulk selection: what a bulk operation acts on, and the batches that it acts in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from core.errors import InvalidFormat, NamedError
from core.lists import BulkSelection, in_batches
from tests.core.lists.app.models import Person
from tests.core.lists.helpers import FIELDS, NOW, NUMBER_FIELD, person


def selected(body: dict[str, Any], **params: str) -> list[str]:
    queryset = BulkSelection.parse(body, params, FIELDS).apply(Person.objects.all())
    return sorted(queryset.values_list("name", flat=True))


@pytest.mark.django_db
def test_selection() -> None:
    ann, bob, cid = person("Ann", age=1), person("Bob", age=1, **{NUMBER_FIELD: 5}), person("Cid")
    assert selected({"ids": [ann.id, bob.id, ann.id]}) == ["Ann", "Bob"]
    assert selected({"ids": [ann.id, bob.id], "nids": [bob.id]}) == ["Ann"]
    assert selected({"selectAll": True}) == ["Ann", "Bob", "Cid"]
    assert selected({"selectAll": True, "ids": [], "nids": [ann.id]}) == ["Bob", "Cid"]
    assert selected({"selectAll": True}, filters='{"age": 1}') == ["Ann", "Bob"]
    assert selected({"selectAll": True}, filters=json.dumps({NUMBER_FIELD: 5})) == ["Bob"]
    assert selected({"selectAll": True, "nids": [bob.id]}, searchValue="b", ids=f"{bob.id},{cid.id}") == []
    assert selected({"selectAll": True}, nids=cid.id) == ["Ann", "Bob"]
    assert selected({"selectAll": True, "ids": [ann.id]}, filters='{"name": "Cid"}') == ["Cid"], "instead of an id list"
    assert selected({"ids": [ann.id], "selectAll": False}, filters='{"name": "Cid"}') == ["Ann"]


ALL = '{"operator": "or", "conditions": [{"operator": "and", "conditions": []}]}'


@pytest.mark.parametrize(
    ("body", "params", "expected"),
    [
        ({}, {}, "ids: name the records in ids, or set selectAll to true"),
        (
            {"ids": [], "nids": ["a" * 24], "selectAll": False},
            {"filters": '{"age": 1}'},
            "ids: name the records in ids",
        ),
        ({"ids": "a" * 24}, {}, "ids: needs to be an array of ids"),
        ({"ids": 0}, {}, "ids: needs to be an array of ids"),
        ({"ids": ["a" * 24], "nids": {}}, {}, "nids: needs to be an array of ids"),
        ({"ids": ["a" * 24] * 100_001}, {}, "ids: has 100001 ids, at most 100000 are allowed"),
        ({"selectAll": "true"}, {}, "selectAll: needs to be true or false"),
        ({"selectAll": 1}, {}, "selectAll: needs to be true or false"),
        ({"selectAll": None}, {}, "selectAll: needs to be true or false"),
        ({"selectAll": True}, {"filters": "x"}, "filters: is not JSON"),
        ({"selectAll": True}, {"filter": "{}"}, "filter: is an unknown parameter"),
        ({"selectAll": True}, {"filters": "{}"}, "filters: has no condition; leave it out to act on all"),
        ({"selectAll": True}, {"filters": '{"age": 1}', "advancedFilters": ALL}, "advancedFilters: has no condition"),
        ({"selectAll": True}, {"searchBy": "name"}, "searchValue: is missing beside searchBy"),
    ],
)
def test_refusal(body: dict[str, Any], params: dict[str, str], expected: str) -> None:
    with pytest.raises(NamedError) as error:
        BulkSelection.parse(body, params, FIELDS)
    assert error.value.name == "InvalidRequest_400"
    assert error.value.detail.startswith(expected)


@pytest.mark.parametrize("ids", [["x"], [None], [3], [["a" * 24]], ["a" * 24, "A" * 24]])
def test_malformed_ids(ids: list[Any]) -> None:
    with pytest.raises(InvalidFormat, match="^ids: needs ids of 24 hex characters") as error:
        BulkSelection.parse({"ids": ids}, {}, FIELDS)
    assert error.value.message.startswith("Invalid format for field ids: ")


@pytest.mark.django_db
@pytest.mark.parametrize("lock", [False, True])
def test_batches_are_the_set_of_the_first_step(lock: bool) -> None:
    Person.objects.bulk_create(Person(name=f"p{i}", created_at=NOW, age=1) for i in range(11))
    expected = sorted(Person.objects.values_list("id", flat=True))
    batches = []
    with transaction.atomic():
        for batch in in_batches(Person.objects.filter(age=1), 4, lock=lock):
            batches.append(batch)
            Person.objects.filter(id__in=batch).update(age=2)
            person("late", age=1)
    assert [len(batch) for batch in batches] == [4, 4, 3]
    assert [key for batch in batches for key in batch] == expected
    assert Person.objects.filter(age=1).count() == 3


@pytest.mark.django_db
def test_batches_cost_one_query() -> None:
    Person.objects.bulk_create(Person(name=f"p{i}", created_at=NOW) for i in range(11))
    with CaptureQueriesContext(connection) as captured:
        assert len(list(in_batches(Person.objects.all(), 4))) == 3
    assert len(captured) <= 1


@pytest.mark.django_db(transaction=True)
def test_batches_need_a_transaction() -> None:
    with pytest.raises(TransactionManagementError, match="needs a transaction around it"):
        next(in_batches(Person.objects.all()))
