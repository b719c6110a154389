"""/organization"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import CustomField, Organization, OrganizationTag, OrganizationValue
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import add_field
from tests.crm.organizations.helpers import events, organization, says
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory

MISSING = "0" * 24


@pytest.fixture
def industry(cast: Cast) -> None:
    with cast.scope():
        add_field("industry", panel=CustomField.Panel.ORGANIZATION)
        add_field("markets", "multi-select", "array", options=["de", "fr", "us"], panel=CustomField.Panel.ORGANIZATION)


def test_create_and_read(cast: Cast, industry: None) -> None:
    with cast.scope():
        tag = TagFactory(name="Key account").pk
    member = cast.owner.pk
    made = organization(
        cast,
        "  Acme   GmbH ",
        domain="https://www.ACME.test/about",
        industry="Steel",
        beside={"tags": [tag], "owner": member},
    )
    assert made["name"] == "Acme GmbH"
    assert made["domain"] == "acme.test"
    assert made["owner"]["_id"] == member
    assert made["tags"] == [{"_id": tag, "name": "Key account"}]
    assert made["formData"] == {"name": "Acme GmbH", "domain": "acme.test", "industry": "Steel"}
    assert made["isDeleted"] is False
    assert cast.session.get(f"/organization/{made['_id']}").data == made
    assert events(cast) == [("organization.created", made["_id"], {})]
    with cast.scope():
        stored = Organization.objects.get()
        assert (stored.name_key, stored.sort_name) == ("ACME", "acme gmbh")
        assert OrganizationValue.objects.get().text == "Steel"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"formData": {}}, "OrganizationDataRequired_400"),
        ({"formData": {"name": " "}}, "OrganizationDataRequired_400"),
        ({"formData": {"name": "A", "domain": "no domain"}}, "InvalidSystemField_400"),
        ({"formData": {"name": "A", "nosuch": 1}}, "InvalidCustomField_400"),
        ({"formData": {"name": "A"}, "tags": [MISSING]}, "TagNotFound_400"),
        ({"formData": {"name": "A"}, "owner": MISSING}, "MemberNotFound_404"),
    ],
)
def test_refused(cast: Cast, body: dict[str, Any], name: str) -> None:
    assert cast.key.post("/organization", body).body["name"] == name
    with cast.scope():
        assert not Organization.objects.exists()


def test_two_may_have_one_name(cast: Cast) -> None:
    assert organization(cast, "Acme")["_id"] != organization(cast, "Acme")["_id"]


def test_update_and_undo(cast: Cast, industry: None) -> None:
    made = organization(cast, "Acme", domain="acme.test", industry="Steel")
    answer = cast.session.put(
        f"/organization/{made['_id']}",
        {"formData": {"name": "Acme AG", "domain": None, "industry": ""}, "owner": cast.owner.pk},
    )
    assert says(answer, "OrganizationUpdated_200")
    assert answer.data["formData"] == {"name": "Acme AG", "domain": None}
    kind, id, payload = events(cast)[-1]
    assert (kind, id) == ("organization.updated", made["_id"])
    assert payload["changes"]["name"] == {"from": "Acme", "to": "Acme AG"}
    assert payload["changes"]["owner"] == {"from": None, "to": cast.owner.pk}
    with cast.scope():
        assert not OrganizationValue.objects.exists()
    undone = cast.session.post(f"/bulk-job/{answer.body['bulkJob']}/undo", {})
    assert undone.status == 201, undone.body
    done(cast, undone.data["_id"])
    back = cast.session.get(f"/organization/{made['_id']}").data
    assert {**back, "updatedAt": ""} == {**made, "updatedAt": ""}
    with cast.scope():
        assert Organization.objects.get().name_key == "ACME"


def test_update_refuses_an_old_body(cast: Cast) -> None:
    made = organization(cast)
    cast.session.put(f"/organization/{made['_id']}", {"formData": {"name": "B"}})
    body = {"formData": {"name": "C"}, "unchangedSince": made["updatedAt"]}
    assert says(cast.session.put(f"/organization/{made['_id']}", body), "RecordChanged_409")
    assert says(cast.session.put(f"/organization/{MISSING}", {"formData": {"name": "C"}}), "OrganizationNotFound_400")
    empty = cast.session.put(f"/organization/{made['_id']}", {"formData": {"name": ""}})
    assert empty.status == 400


def test_list(cast: Cast, industry: None) -> None:
    for name, domain in (("Österreich AG", "at.test"), ("acme", "acme.test"), ("Zeta", None)):
        organization(cast, name, industry=name[:1], **({"domain": domain} if domain else {}))
    rows = cast.key.get("/organization", sortBy="name", sortOrder="asc").data
    assert [row["name"] for row in rows] == ["acme", "Österreich AG", "Zeta"]
    assert [row["name"] for row in cast.key.get("/organization", searchValue="oster").data] == ["Österreich AG"]
    assert [row["name"] for row in cast.key.get("/organization", searchValue="acme.t").data] == ["acme"]
    found = cast.key.get("/organization", filters={"industry": "Z"})
    assert [row["name"] for row in found.data] == ["Zeta"]
    assert cast.key.get("/organization", p="1", n="2").body["totalCount"] == 3


def test_many(cast: Cast, industry: None) -> None:
    items = [{"name": "A"}, {"name": ""}, "no", {"name": "B", "markets": ["xx"]}, {"name": "C", "owner": MISSING}]
    answer = cast.key.post("/organization/bulk", {"formData": items, "skipInvalid": True})
    assert says(answer, "OrganizationsProcessed_200")
    assert [row["name"] for row in answer.data["created"]] == ["A"]
    assert [failure["index"] for failure in answer.data["failed"]] == [1, 2, 3, 4]
    assert answer.data["failed"][3]["name"] == "MemberNotFound_404"
    refused = cast.key.post("/organization/bulk", {"formData": items, "skipInvalid": False})
    assert refused.status == 400
    assert says(cast.key.post("/organization/bulk", {"formData": []}), "OrganizationDataRequired_400")
    assert says(cast.key.post("/organization/bulk", {"formData": [{"name": "A"}] * 501}), "InvalidPayload_400")


def test_bulk_update(cast: Cast, industry: None) -> None:
    ids = [organization(cast, name)["_id"] for name in "abc"]
    with cast.scope():
        tag = TagFactory().pk
    body = {"ids": ids[:2], "formData": {"industry": "Wood"}, "tags": [tag], "owner": cast.owner.pk}
    answer = cast.key.put("/organization", body)
    assert answer.data == {"matchedCount": 2, "updatedCount": 2}
    rows = cast.key.get("/organization", filters={"industry": "Wood"}).data
    assert {row["_id"] for row in rows} == set(ids[:2])
    assert all(row["owner"]["_id"] == cast.owner.pk and row["tags"][0]["_id"] == tag for row in rows)
    removed = cast.key.put("/organization", {"selectAll": True, "updateType": "clear", "owner": None})
    assert removed.data["updatedCount"] == 2
    assert says(cast.key.put("/organization", {"ids": ids, "formData": {"name": "X"}}), "CannotUpdateUniqueKey_400")
    assert says(cast.key.put("/organization", {"ids": ids, "formData": {}}), "InvalidPayload_400")
    assert says(cast.key.put("/organization", {"ids": [MISSING], "owner": None}), "OrganizationNotFound_400")


def test_delete_and_restore(cast: Cast) -> None:
    first, second = organization(cast, "A"), organization(cast, "B")
    answer = cast.session.delete("/organization", {"ids": [first["_id"]]})
    assert answer.data == {"deletedCount": 1}
    assert says(cast.session.get(f"/organization/{first['_id']}"), "OrganizationNotFound_400")
    assert [row["_id"] for row in cast.session.get("/organization").data] == [second["_id"]]
    deleted = cast.session.get("/organization", filters={"isDeleted": True})
    assert [row["_id"] for row in deleted.data] == [first["_id"]]
    assert says(cast.session.post("/organization/restore", {"ids": [first["_id"]]}), "OrganizationsRestored_200")
    assert cast.session.get(f"/organization/{first['_id']}").data["name"] == "A"
    assert [kind for kind, *_ in events(cast)][-2:] == ["organization.deleted", "organization.restored"]


def test_other_company_and_roles(cast: Cast, outsiders: Cast) -> None:
    made = organization(cast)
    assert says(outsiders.session.get(f"/organization/{made['_id']}"), "OrganizationNotFound_400")
    assert outsiders.session.get("/organization").data == []
    assert cast.narrow_session.get("/organization").status == 200
    refused = cast.narrow_session.post("/organization", {"formData": {"name": "B"}})
    assert says(refused, "UnauthorizedAction_403")


def test_deleted_tags_leave(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory().pk
    made = organization(cast, beside={"tags": [tag]})
    assert cast.session.delete("/tag", {"ids": [tag]}).status == 200
    assert cast.session.get(f"/organization/{made['_id']}").data["tags"] == []
    with cast.scope():
        assert not OrganizationTag.objects.exists()


def test_fields_export_and_search(cast: Cast, industry: None) -> None:
    organization(cast, "Acme", domain="acme.test", industry="Steel")
    groups = cast.session.get("/search", q="acm").data["groups"]
    assert [(group["kind"], group["records"][0]["title"]) for group in groups] == [("organization", "Acme")]
    export = cast.key.post("/export", {"resource": "organization", "format": "csv"})
    assert export.status == 201, export.body
    fields = cast.session.get("/custom-field", filters={"panel": "organization"}).data
    assert {field["uniqueFieldID"] for field in fields} == {"name", "domain", "industry", "markets"}
    with cast.scope():
        assert Event.objects.filter(kind="organization.created").count() == 1
