"""The forms in which HTTP libraries send query parameters."""

from __future__ import annotations

from typing import Any

import pytest

from core.ids import new_id
from tests.guards.routes import operations
from tests.kit.cast import SESSION, Cast
from tests.kit.factories import ContactFactory


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    with cast.scope():
        return [ContactFactory(name=name).pk for name in "abc"]


def found(cast: Cast, query: Any) -> list[str]:
    answer = cast.key.call("GET", "/contact?sortBy=name&sortOrder=asc&" + query)
    assert answer.status == 200, answer.body
    return [row["name"] for row in answer.data]


def test_arrays_in_the_query_string(cast: Cast, ids: list[str]) -> None:
    a, b, c = ids
    assert found(cast, f"ids[]={a}&ids[]={b}") == ["a", "b"]
    assert found(cast, f"ids%5B%5D={a}&ids%5B%5D={b}") == ["a", "b"]
    assert found(cast, f"ids[0]={a}&ids[1]={c}") == ["a", "c"]
    assert found(cast, f'ids=["{a}","{c}"]') == ["a", "c"]
    assert found(cast, f'ids=["{a}"]&ids={b}&ids[]={c}') == ["a", "b", "c"]
    assert found(cast, f'nids=["{a}"]') == ["b", "c"]
    assert found(cast, "searchBy[]=email&searchBy[]=name&searchValue=B") == ["b"]
    answer = cast.key.call("GET", '/contact?sortBy=["name","createdAt"]&sortOrder[]=desc')
    assert [row["name"] for row in answer.data] == ["c", "b", "a"]


def test_a_cache_buster_is_taken(cast: Cast, ids: list[str]) -> None:
    assert found(cast, "_=1699999999999") == ["a", "b", "c"]
    page = cast.key.call("GET", "/contact?cursorPagination=true&n=2&_=1")
    further = cast.key.call("GET", f"/contact?n=2&_=2&cursor={page.body['nextCursor']}")
    assert [row["name"] for row in further.data] == ["a"]
    assert cast.key.get("/contact/duplicate", _="3").status == 200
    assert cast.key.call("GET", "/contact?_=1&colour=red").status == 400


@pytest.mark.parametrize(
    "query", ["ids[]=", "ids=[]", 'ids=[""]', "ids=[1]", "ids=[", "ids=[null]", "ids[x]=y", "ids[][]=y", "filters[]={}"]
)
def test_other_forms_are_refused(cast: Cast, query: str) -> None:
    answer = cast.key.call("GET", f"/contact?{query}")
    assert (answer.status, answer.body["warning"][:3]) == (400, query[:3])


def test_select_all_reads_arrays(cast: Cast, ids: list[str]) -> None:
    body = {"selectAll": True, "nids": [ids[1]]}
    answer = cast.key.call("DELETE", f"/contact?ids[]={ids[0]}&ids[]={ids[1]}&ids[]={new_id()}&_=1", body)
    assert answer.data == {"deletedCount": 1}
    assert found(cast, "") == ["b", "c"]


def test_a_parameter_that_a_read_does_not_know_is_refused(cast: Cast) -> None:
    reads = [
        operation
        for operation in operations(SESSION[1:] + "/")
        if operation.method == "GET" and not (operation.endpoint.many or operation.endpoint.raw)
    ]
    assert len(reads) > 30
    for operation in reads:
        path = operation.address(*(new_id() for _ in operation.parameters)).removeprefix(cast.session.prefix)
        answer = cast.session.call("GET", f"{path}?surprise=1")
        assert (answer.status, "surprise" in answer.body["warning"]) == (400, True), (str(operation), answer.body)
    assert cast.session.get("/genie/settings", _="1").status == 200, "HTTP libraries add it against caches"
