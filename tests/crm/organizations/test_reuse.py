"""POST /organization with reuse: one organization of a name, however many create it at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from core.tenancy import company_scope
from crm.models import Organization
from crm.organizations.services import create_organization
from tests.crm.organizations.helpers import events, organization
from tests.kit.cast import Cast, make_cast


def reused(cast: Cast, name: str) -> str:
    answer = cast.key.post("/organization", {"formData": {"name": name}, "reuse": True})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def test_the_oldest_organization_of_the_name_is_answered_as_it_is(cast: Cast) -> None:
    first = organization(cast, "Acme GmbH")["_id"]
    organization(cast, "Acme GmbH")
    before = len(events(cast))
    assert reused(cast, "ACME gmbh") == first
    assert len(events(cast)) == before
    with cast.scope():
        assert Organization.objects.get(pk=first).name == "Acme GmbH"
    # Another legal form is another name here, unlike in imports.
    assert reused(cast, "Acme Ltd") != first
    assert cast.key.delete("/organization", {"ids": [first]}).status == 200
    assert reused(cast, "Acme GmbH") != first
    assert (
        make_cast().key.post("/organization", {"formData": {"name": "Acme GmbH"}, "reuse": True}).data["_id"] != first
    )
    assert cast.session.post("/organization", {"formData": {"name": "Acme GmbH"}}).status == 201
    with cast.scope():
        assert Organization.objects.filter(name="Acme GmbH", is_deleted=False).count() == 2
    assert cast.key.post("/organization", {"formData": {}, "reuse": True}).status == 400


@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_one() -> None:
    cast = make_cast()

    def create(name: str) -> str:
        try:
            with company_scope(cast.company.pk):
                return create_organization(actor_id=cast.owner.pk, form_data={"name": name}, reuse=True).id
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(create, ["Northwind", "northwind", "NORTHWIND"] * 4))
    with cast.scope():
        assert set(Organization.objects.values_list("pk", flat=True)) == ids
    assert len(ids) == 1
