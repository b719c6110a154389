"""An empty or null filter is refused on every list and in every bulk operation: it is not the same as none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.ids import new_id
from crm.models import Contact, Import
from tests.guards.population import populate
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, Answer, Cast, make_cast
from tests.kit.examples import walked
from tests.kit.factories import ContactFactory
from tests.kit.rows import kept_for_module, row

pytestmark = pytest.mark.django_db

EMPTY = {"filters": ("null", "", " null "), "advancedFilters": ("null", ""), "ids": ("", "null"), "nids": ("", "null")}
SEARCHED = {"searchValue": ("",), "searchBy": ("",)}
FILTERED = [one for one in operations(KEY[1:] + "/") if one.endpoint.many or one.endpoint.bulk]


@pytest.fixture(scope="module")
def populated(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, list[str]]]:
    """A company with a record of each kind, and their ids."""
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        ids = list(populate(cast).values())
        with cast.scope():
            copied = Import.objects.get()
            for kind in (Import.Type.LEAD, Import.Type.ORGANIZATION):
                copied.pk = new_id()
                copied._state.adding = True
                copied.import_type = kind
                copied.save()
                ids.append(copied.pk)
        yield cast, ids


def takes(operation: Operation, parameter: str) -> bool:
    named = operation.endpoint.list_parameters
    return operation.endpoint.bulk or named is None or parameter in named


def refused(answer: Answer, parameter: str) -> bool:
    return answer.status == 400 and answer.body["warning"].startswith(f"{parameter}: ")


def ask(cast: Cast, operation: Operation, address: str, query: dict[str, str], body: Any) -> Answer:
    return cast.key.call(operation.method, address.removeprefix(KEY), body, query)


def test_an_empty_filter_is_refused_everywhere(populated: tuple[Cast, list[str]], subtests: pytest.Subtests) -> None:
    cast, ids = populated
    assert len([one for one in FILTERED if one.endpoint.bulk]) > 18
    assert len([one for one in FILTERED if one.endpoint.many]) > 25
    for operation in walked(FILTERED):
        body = {"selectAll": True} if operation.endpoint.bulk else None
        asked = {**EMPTY, **(SEARCHED if operation.endpoint.bulk else {})}
        addresses = [operation.address(id) for id in ids] if operation.parameters else [operation.address()]
        with row(subtests, operation):
            for parameter, value in ((name, value) for name, values in asked.items() for value in values):
                if takes(operation, parameter):
                    for address in addresses:
                        answer = ask(cast, operation, address, {parameter: value}, body)
                        if refused(answer, parameter):
                            addresses = [address]  # the operation stands at such a record
                            break
                    else:
                        pytest.fail(f"{parameter}={value}: {answer}")


def test_a_bulk_operation_of_ids_refuses_an_empty_filter_too(
    populated: tuple[Cast, list[str]], subtests: pytest.Subtests
) -> None:
    cast, ids = populated
    for operation in walked(one for one in FILTERED if one.endpoint.bulk):
        with row(subtests, operation):
            address = operation.address(*(new_id() for _ in operation.parameters))
            answer = ask(cast, operation, address, {"filters": "null"}, {"ids": [new_id()]})
            assert refused(answer, "filters"), answer


def test_nothing_is_deleted_by_a_null_filter(cast: Cast) -> None:
    with cast.scope():
        made = [ContactFactory().pk, ContactFactory().pk]
    for query in ({"filters": "null"}, {"advancedFilters": "null"}, {"filters": ""}, {"ids": ""}, {"searchValue": ""}):
        assert cast.key.delete("/contact", {"selectAll": True}, **query).status == 400
        assert cast.key.put("/contact", {"selectAll": True, "formData": {"name": "X"}}, **query).status == 400
    with cast.scope():
        assert Contact.objects.filter(is_deleted=False).exclude(name="X").count() == 2
    assert cast.key.get("/contact", searchValue="").body["totalCount"] == 2, "an empty search box"
    assert cast.key.delete("/contact", {"selectAll": True}, ids=made[0]).data == {"deletedCount": 1}
    assert cast.key.delete("/contact", {"selectAll": True}).data == {"deletedCount": 1}
