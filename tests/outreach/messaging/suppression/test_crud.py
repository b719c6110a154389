"""GET, POST, DELETE /suppression."""

from __future__ import annotations

from outreach.models import Suppression
from tests.kit.cast import Cast, make_cast

PATH = "/suppression"
MISSING = "0" * 24


def test_an_address_is_listed_once_whatever_its_case(cast: Cast) -> None:
    answer = cast.key.post(PATH, {"email": " Ann@Example.org ", "source": "phone call"})
    assert (answer.status, answer.data["email"], answer.data["reason"], answer.data["source"]) == (
        201,
        "ann@example.org",
        "manual",
        "phone call",
    )
    assert answer.data["createdBy"]["_id"] == cast.owner.pk
    again = cast.session.post(PATH, {"email": "ANN@example.org", "reason": "complained"})
    assert (again.data["_id"], again.data["reason"]) == (answer.data["_id"], "manual")
    assert [row["email"] for row in cast.key.get(PATH, searchValue="ann@").data] == ["ann@example.org"]


def test_delete_by_ids_and_by_filter(cast: Cast) -> None:
    ids = [cast.key.post(PATH, {"email": f"a{n}@example.org"}).data["_id"] for n in range(3)]
    assert cast.key.delete(PATH, {"ids": ids[:1]}).data == {"deletedCount": 1}
    assert cast.key.delete(PATH, {"ids": ids[:1]}).status == 404
    assert cast.key.delete(PATH, {}).status == 400
    assert cast.session.delete(PATH, {"selectAll": True}).data == {"deletedCount": 2}
    with cast.scope():
        assert not Suppression.objects.exists()


def test_lists_are_per_company(cast: Cast, outsiders: Cast) -> None:
    id = outsiders.key.post(PATH, {"email": "ann@example.org"}).data["_id"]
    assert cast.key.get(PATH).data == []
    assert cast.key.delete(PATH, {"ids": [id]}).status == 404
    assert cast.key.delete(PATH, {"selectAll": True}).status == 404
    assert cast.key.post(PATH, {"email": "ann@example.org"}).status == 201


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body, field in (
        ({}, "email"),
        ({"email": "ann"}, "email"),
        ({"email": 1}, "email"),
        ({"email": "a@b.de", "reason": "x"}, "reason"),
    ):
        answer = cast.key.post(PATH, body)
        assert answer.status == 400
        assert field in answer.body["warning"]


def test_roles(db: None) -> None:
    reader = make_cast({"genie": {"GET": True}})
    assert reader.narrow_session.get(PATH).status == 200
    assert reader.narrow_session.post(PATH, {"email": "a@b.de"}).status == 403
    assert reader.narrow_session.delete(PATH, {"ids": [MISSING]}).status == 403
