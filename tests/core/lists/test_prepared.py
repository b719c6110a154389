"""Statements that lists build once (core.lists.prepared): each company gets its own rows by them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from core.api.output import Output
from core.lists.keyset import Place, Section
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
            ['%crm_contact"."custom"%'],
        )
        [(general,)] = cursor.fetchall()
    assert general >= 3


def test_a_record_that_goes_while_a_page_is_read_is_left_out(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        for i in range(4):
            ContactFactory.create(name=f"Ann {i}")
    places = Section.places

    def then_gone(self: Section, skip: int, count: int) -> list[Place]:
        found = places(self, skip, count)
        Contact.objects.filter(pk=found[0][-1]).delete()
        return found

    for output in (True, False):
        with monkeypatch.context() as patched:
            patched.setattr(Section, "places", then_gone)
            patched.setattr(ContactOut, "fixed", output)
            answer = cast.key.get("/contact", cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
        expected = ["Ann 1"] if output else ["Ann 2"]
        assert [row["name"] for row in answer.data] == expected


def _refuse(queryset: QuerySet[Any]) -> QuerySet[Any]:
    pytest.fail("built again")
