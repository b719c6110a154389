"""Statements that lists build once (core.lists.prepared): each company gets its own rows by them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from core.api.output import Output
from core.lists import paging, prepared
from core.lists.keyset import Place, Section
from core.lists.prepared import places_of
from core.tenancy import company_scope
from crm.contacts.serializers import ContactOut
from crm.leads.serializers import LeadOut
from crm.models import Contact
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

pytestmark = pytest.mark.django_db
SORTS = ("", "name", "createdAt,name", "category.name", "createdBy.name", "number")


def names(cast: Cast, **query: str) -> list[str]:
    return [row["name"] for row in cast.key.get("/contact", p="1", n="2", **query).data]


@pytest.mark.parametrize("sort", SORTS)
def test_each_company_gets_its_own_rows(
    cast: Cast, outsiders: Cast, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    asked = {"sortBy": sort} if sort else {}
    for owner, first in ((cast, "Ann"), (outsiders, "Zoe")):
        with company_scope(owner.company.pk):
            for i in range(4):
                ContactFactory.create(name=f"{first} {i}")
    own, theirs = names(cast, **asked), names(outsiders, **asked)
    assert len(own) == len(theirs) == 2
    assert {name[:3] for name in own} == {"Ann"}
    assert {name[:3] for name in theirs} == {"Zoe"}
    monkeypatch.setattr(ContactOut, "project", lambda queryset: pytest.fail("built again"))
    assert (names(cast, **asked), names(outsiders, **asked)) == (own, theirs)


@pytest.mark.parametrize("output", [ContactOut, LeadOut])
def test_a_statement_that_is_built_once_gives_what_the_orm_gives(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, output: type[Output]
) -> None:
    path = "/contact" if output is ContactOut else "/lead"
    for number in range(3):
        make(cast, number)
    prepared: dict[str, Any] = cast.key.get(path, p="1", n="10").body
    assert len(prepared["data"]) == 3
    monkeypatch.setattr(output, "fixed", False)
    assert cast.key.get(path, p="1", n="10").body == prepared
    monkeypatch.setattr(output, "project", _refuse)
    monkeypatch.setattr(output, "fixed", True)
    assert cast.key.get(path, p="1", n="10").body == prepared


def test_one_plan_serves_all_companies(cast: Cast, outsiders: Cast) -> None:
    """PostgreSQL makes a general plan after five uses."""
    for owner, first in ((cast, "Ann"), (outsiders, "Zoe")):
        with company_scope(owner.company.pk):
            for i in range(3):
                ContactFactory.create(name=f"{first} {i}")
    for _ in range(4):
        assert {name[:3] for name in names(cast)} == {"Ann"}
        assert {name[:3] for name in names(outsiders)} == {"Zoe"}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans FROM pg_prepared_statements"
            " WHERE statement LIKE %s AND generic_plans + custom_plans >= 8",
            ['%"list_id"%FROM "crm_contact"%'],
        )
        [(general,)] = cursor.fetchall()
    assert general >= 3


@pytest.mark.parametrize("sort", SORTS[:4])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_the_ids_of_a_page_are_found_by_a_statement_that_is_built_once(
    cast: Cast, outsiders: Cast, monkeypatch: pytest.MonkeyPatch, sort: str, order: str
) -> None:
    """The same pages as the ORM's, with nulls, for each company, whatever was built before."""
    for owner, first in ((cast, "Ann"), (outsiders, "100%s Zoe")):
        with company_scope(owner.company.pk):
            for i in range(5):
                ContactFactory.create(name=f"{first} {i}" if i else "", category=None)
    asked = {"sortBy": sort, "sortOrder": order} if sort else {}
    by_orm, kept = [], []
    for found, shape in ((by_orm, lambda section: None), (kept, prepared._shape), (kept, prepared._shape)):
        monkeypatch.setattr(prepared, "_shape", shape)
        found.append([pages(owner, **asked) for owner in (cast, outsiders)])
    assert by_orm * 2 == kept
    assert [len(rows) for rows in by_orm[0]] == [5, 5]
    monkeypatch.setattr(Section, "places", lambda self: pytest.fail("built again"))
    if sort != "category.name":
        assert [pages(owner, **asked) for owner in (cast, outsiders)] == by_orm[0]


def pages(cast: Cast, **query: str) -> list[str]:
    """The ids of all pages by cursor, and of the second page by number."""
    answer = cast.key.get("/contact", cursorPagination="true", n="2", **query)
    found = [row["_id"] for row in answer.data]
    second = cast.key.get("/contact", p="2", n="2", **query).data
    while cursor := answer.body["nextCursor"]:
        answer = cast.key.get("/contact", n="2", cursor=cursor, **query)
        found += [row["_id"] for row in answer.data]
    assert found[2:4] == [row["_id"] for row in second]
    return found


def test_a_filter_that_looks_like_a_company_stays_what_it_is(cast: Cast, outsiders: Cast) -> None:
    for owner in (cast, outsiders):
        with owner.scope():
            ContactFactory.create(name=cast.company.pk)
    for owner, text in ((cast, cast.company.pk), (outsiders, cast.company.pk), (cast, outsiders.company.pk)):
        found = owner.key.get("/contact", p="1", n="2", filters={"name": text}).data
        assert [row["name"] for row in found] == ([text] if text == cast.company.pk else [])


def test_a_record_that_goes_while_a_page_is_read_is_left_out(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        for i in range(4):
            ContactFactory.create(name=f"Ann {i}")

    def then_gone(section: Section, skip: int, count: int) -> list[Place]:
        found = places_of(section, skip, count)
        Contact.objects.filter(pk=found[0][-1]).delete()
        return found

    for output in (True, False):
        with monkeypatch.context() as patched:
            patched.setattr(paging, "places_of", then_gone)
            patched.setattr(ContactOut, "fixed", output)
            answer = cast.key.get("/contact", cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
        expected = ["Ann 1"] if output else ["Ann 2"]
        assert [row["name"] for row in answer.data] == expected


def _refuse(queryset: QuerySet[Any]) -> QuerySet[Any]:
    pytest.fail("built again")
