"""Over every route of the URL map, so that no new one is left out: modules, authentication paths, companies, ids and
bodies."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing.models import AddOn
from core.api.envelope import QUEUED
from core.ids import new_id
from core.messages.defaults import DEFAULTS, FAILURES, OWN_FAILURES, SUCCESSES
from core.models import CompanyManager
from crm.models import Tag
from tests.guards.population import populate
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, SESSION, Answer, Caller, Cast, make_cast
from tests.kit.examples import walked
from tests.kit.rows import kept_for_module, row

MODULES = pathlib.Path(__file__).with_name("permission-modules.txt").read_text().split()
PROTECTED = list(operations(SESSION[1:] + "/"))
KEYED = list(operations(KEY[1:] + "/"))
pytestmark = pytest.mark.django_db


def call(caller: Caller, operation: Operation, *ids: str, body: Any = None) -> Answer:
    path = operation.address(*ids).removeprefix(KEY).removeprefix(SESSION)
    if operation.method in ("GET", "DELETE") and body is None:
        return caller.call(operation.method, path)
    return caller.call(operation.method, path, {} if body is None else body)


def test_both_paths_lead_to_the_same_operations() -> None:
    assert len(PROTECTED) > 40
    session = {(one.method, one.path.removeprefix(SESSION[1:]), one.view, one.action) for one in PROTECTED}
    assert session == {(one.method, one.path.removeprefix(KEY[1:]), one.view, one.action) for one in KEYED}


def test_every_route_declares_a_module_of_the_contract() -> None:
    assert [str(operation) for operation in PROTECTED if operation.module not in MODULES] == []


def test_every_success_has_a_default_and_every_default_an_endpoint() -> None:
    declared = {operation.endpoint.success for operation in operations()}
    assert len(declared) > 100
    assert declared | {QUEUED} == set(SUCCESSES)
    assert {*FAILURES, *OWN_FAILURES, *SUCCESSES} == set(DEFAULTS)
    for operation in operations():
        assert operation.endpoint.default == DEFAULTS[operation.endpoint.success], str(operation)
        assert 200 <= operation.endpoint.default[0] < 300, str(operation)


@pytest.fixture(scope="module")
def companies(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast, dict[str, str]]]:
    """The company that asks, outsiders, and one record of each kind of the outsiders' company: table -> id."""
    with kept_for_module(django_db_blocker):
        cast, outsiders = make_cast(), make_cast()
        ids = {model._meta.db_table: id for model, id in populate(outsiders).items() if model is not AddOn}  # all's
        assert len(ids) > 12
        yield cast, outsiders, ids


@pytest.fixture
def cast(companies: tuple[Cast, Cast, dict[str, str]]) -> Cast:
    return companies[0]


@pytest.fixture
def outsiders(companies: tuple[Cast, Cast, dict[str, str]]) -> Cast:
    return companies[1]


@pytest.fixture
def foreign_rows(companies: tuple[Cast, Cast, dict[str, str]]) -> dict[str, str]:
    return companies[2]


@pytest.fixture
def foreign(foreign_rows: dict[str, str]) -> list[str]:
    return list(foreign_rows.values())


def test_malformed_ids_are_400(cast: Cast, subtests: pytest.Subtests) -> None:
    keyed = [operation for operation in KEYED if operation.parameters]
    assert len(keyed) > 40
    texts = cycle(("x", "G" * 24, "0" * 23, "%00", "%F0%9F%92%A9", "a" * 3000))
    for operation in walked(keyed):
        with row(subtests, operation):
            for bad in islice(texts, 2):  # one converter reads all ids
                answer = call(cast.key, operation, *[bad for _ in operation.parameters])
                assert answer.status in (400, 404), (bad, answer.body)


def anonymous(answer: Answer, identity: str) -> Any:
    """The answer without the id that was asked for."""
    return (
        orjson.dumps([answer.status, answer.body]).decode().replace(identity, "ID")
        if not isinstance(answer.body, bytes)
        else answer.status
    )


@pytest.mark.undescribed("the outsiders' records have values that no service writes")
def test_every_list_hides_the_other_company(cast: Cast, outsiders: Cast, foreign: list[str]) -> None:
    lists = [operation for operation in KEYED if operation.endpoint.many and not operation.parameters]
    assert len(lists) > 8
    for operation in lists:
        answer = call(cast.key, operation)
        assert answer.status == 200, (str(operation), answer.body)
        text = orjson.dumps(answer.body).decode()
        assert not [identity for identity in foreign if identity in text], str(operation)
        theirs = call(outsiders.key, operation)
        assert theirs.status == 200


def test_where_every_manager_forgets_to_filter_the_database_still_hides_the_other_company(
    cast: Cast, foreign_rows: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign id looks like a missing one. What row security alone hides, managers that filter hide as well.

    An operation is given the ids from those tables that it reads at all when it is given a missing one.
    """
    monkeypatch.setattr(CompanyManager, "get_queryset", lambda self: super(CompanyManager, self).get_queryset())
    with cast.scope():
        assert "company_id" not in str(Tag.objects.values("pk").query), "the first isolation layer is down"
    seen = 0
    for operation in KEYED:
        if operation.method == "GET" and not operation.parameters:
            answer = call(cast.key, operation)
            assert answer.status < 500, (str(operation), answer.body)
            text = orjson.dumps(answer.body).decode() if not isinstance(answer.body, bytes) else repr(answer.body)
            assert not [identity for identity in foreign_rows.values() if identity in text], str(operation)
            seen += 1
        elif operation.parameters:
            missing = new_id()
            with CaptureQueriesContext(connection) as queries:
                expected = anonymous(call(cast.key, operation, *[missing for _ in operation.parameters]), missing)
            asked = " ".join(query["sql"] for query in queries)
            for identity in (id for table, id in foreign_rows.items() if f'"{table}"' in asked):
                answer = call(cast.key, operation, *[identity for _ in operation.parameters])
                assert 400 <= answer.status < 500, (str(operation), identity, answer.body)
                assert anonymous(answer, identity) == expected, (str(operation), identity)
                seen += 1
    assert seen > 150


def test_bulk_operations_do_not_reach_the_other_company(cast: Cast, outsiders: Cast, foreign: list[str]) -> None:
    from django.db import models

    from core.tenancy.row_security import company_models

    def snapshot() -> dict[str, Any]:
        with outsiders.scope():
            return {
                model.__name__: list(model.objects.order_by("pk").values())
                for model in company_models()
                if not _is_volatile(model)
            }

    def _is_volatile(model: type[models.Model]) -> bool:
        return model.__name__ in ("Event", "EventDelivery")

    before = snapshot()
    bulk = [operation for operation in KEYED if operation.endpoint.bulk]
    assert len(bulk) >= 3
    for operation in bulk:
        for selection in ({"ids": foreign}, {"selectAll": True}):
            assert call(cast.key, operation, *[new_id() for _ in operation.parameters], body=selection).status < 500
    assert snapshot() == before


def test_bad_bodies_are_4xx(cast: Cast, subtests: pytest.Subtests) -> None:
    writing = [operation for operation in KEYED if operation.method in ("POST", "PUT", "PATCH")]
    assert len(writing) > 40
    broken = cycle((b"{", b"\xff\xfe", b'{"a": NaN}', b"[" * 10000, b'{"a":' * 2000))
    for operation in walked(writing):
        with row(subtests, operation):
            path = operation.address(*[new_id() for _ in operation.parameters]).removeprefix(KEY)
            for body in ([], "text", 1, None, {"no such key": 1}, {"ids": "x"}, {"formData": []}, [[[]]]):
                answer = cast.key.call(operation.method, path, body)
                assert answer.status < 500, (body, answer.body)
            for raw in islice(broken, 1):  # one parser reads all bodies
                response = cast.key.client.generic(
                    operation.method, KEY + path, raw, content_type="application/json", headers=cast.key.headers
                )
                assert response.status_code in (400, 404), (raw[:20], response.content)
