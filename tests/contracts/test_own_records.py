"""Members with recordScope own meet and change no record of others: on every route of the API, on both paths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.api_keys.services import create_key
from accounts.models import ApiKey
from config.api_docs.examples import body_of
from core.ids import new_id
from crm.models import Contact, Lead, Organization
from tests.config.examples_world import path_of
from tests.contracts.own_world import Others, addresses, make_others, missing_address
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, SESSION, Answer, Caller
from tests.kit.examples import walked
from tests.kit.rows import kept_for_module

pytestmark = [pytest.mark.django_db, pytest.mark.undescribed("records that have only the fields that they need")]
RECORDS = (Contact, Lead, Organization)


@pytest.fixture(scope="module")
def others(django_db_setup: None, django_db_blocker: Any) -> Iterator[Others]:
    with kept_for_module(django_db_blocker):
        yield make_others()


@pytest.fixture(scope="module")
def callers(others: Others) -> dict[str, Caller]:
    """The member's session, and a key of theirs: while keys are strict it does no more than its maker."""
    cast = others.cast
    with cast.scope():
        key = create_key(member_id=cast.narrow.pk)
        ApiKey.objects.filter(pk=key.pk).update(last_used_at="2099-01-01T00:00:00Z")
    return {SESSION: Caller("", cast.narrow_session.headers), KEY: Caller("", {"apikey": key.key})}


def said(answer: Answer, id: str) -> tuple[int, str, str]:
    """Return what an answer says, without the id that was asked for."""
    body = answer.body if isinstance(answer.body, dict) else {}
    return answer.status, body.get("message", ""), str(body.get("warning", "")).replace(id, "")


@pytest.mark.parametrize("mount", [SESSION, KEY])
def test_every_read(others: Others, callers: dict[str, Caller], mount: str) -> None:
    leaks, told, calls = [], [], 0
    assert len(others.words) > 20
    for operation in walked(operations(mount.strip("/") + "/")):
        if operation.method != "GET":
            continue
        address, id = missing_address(operation)
        missing = said(callers[mount].get(address), id)
        for address, id in addresses(others, operation):
            answer = callers[mount].get(address)
            calls += 1
            met = others.met_in(str(answer.body)) - set(address.split("/"))
            if met or answer.status >= 500:
                leaks.append((operation.path, id, answer.status, sorted(met)[:4]))
            if id in {others.ids[model] for model in RECORDS} and said(answer, id) != missing:
                told.append((operation.path, said(answer, id), missing))
    assert calls > 100
    print(*leaks, *told, sep="\n")
    assert (leaks, told) == ([], [])


def bodies(others: Others, operation: Operation) -> Iterator[Any]:
    """Yield the bodies of a write: its example, which names records of others, and those of all records at once."""
    path = path_of(operation).removeprefix(SESSION[1:] + "/")
    example = body_of("key", operation.method, path, bulk=operation.endpoint.bulk)
    try:
        body = others.world.filled(example) if example is not None else {}
    except KeyError:  # the example names a record of a list that is empty here
        body = {}
    yield body
    if operation.endpoint.bulk:
        rest = {name: value for name, value in body.items() if name not in ("ids", "nids", "selectAll")}
        yield {**rest, "ids": [others.ids[model] for model in RECORDS]}
        yield {**rest, "selectAll": True}


@contextmanager
def undone(subtests: pytest.Subtests, name: str) -> Iterator[None]:
    """Open a subtest whose changes are rolled back."""
    with subtests.test(name), transaction.atomic():
        yield
        transaction.set_rollback(True)


def is_committed() -> bool:
    """Return whether the database takes what a request has written: a shared row that others' records use stays."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except IntegrityError:
        return False
    return True


@pytest.mark.parametrize("mount", [SESSION, KEY])
def test_every_write(others: Others, callers: dict[str, Caller], mount: str, subtests: pytest.Subtests) -> None:
    before = others.rows()
    assert {"crm_contact", "crm_lead", "crm_organization", "crm_comment"} <= before.keys()
    calls = 0
    for operation in walked(operations(mount.strip("/") + "/")):
        if operation.method == "GET":
            continue
        for address, id in addresses(others, operation):
            for body in bodies(others, operation):
                with undone(subtests, f"{operation} {id} {str(body)[:60]}"):
                    answer = callers[mount].call(operation.method, address, body)
                    calls += 1
                    assert answer.body.get("name") != "InternalServerError_500", answer.body
                    if not is_committed():
                        transaction.set_rollback(True)
                        continue
                    sent = str(body) + address
                    assert {word for word in others.met_in(str(answer.body)) if word not in sent} == set(), answer.body
                    assert others.gone(before) == {}, answer.body
                    if id in {others.ids[model] for model in RECORDS}:
                        nobody = new_id()
                        missing = callers[mount].call(operation.method, address.replace(id, nobody), body)
                        assert said(answer, id)[0] == said(missing, nobody)[0], (answer.body, missing.body)
    assert calls > 100
