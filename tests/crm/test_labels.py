"""/tag and /contact-category (contract 4.4), which work alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.cast import Cast, make_cast


@dataclass(frozen=True)
class Kind:
    path: str
    module: str
    missing: str
    taken: str


KINDS = [
    Kind("/tag", "tag", "Tag not found", "Tag name already exists"),
    Kind("/contact-category", "contact-category", "Contact category not found", "Contact category name already exists"),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.module)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def test_create_read_update_list(cast: Cast, kind: Kind) -> None:
    made = cast.key.post(kind.path, {"name": "Press", "color": "#fff", "description": "writes"})
    assert made.status == 201
    assert {key: made.data[key] for key in ("name", "color", "description")} == {"name": "Press", "color": "#fff", "description": "writes"}
    assert made.data["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    id = made.data["_id"]
    assert cast.key.get(f"{kind.path}/{id}").data == made.data
    changed = cast.key.put(f"{kind.path}/{id}", {"name": "Media"})
    assert (changed.status, changed.data["name"], changed.data["color"]) == (200, "Media", "#fff")
    cast.key.post(kind.path, {"name": "Art"})
    listed = cast.key.get(kind.path, sortBy="name", sortOrder="asc")
    assert [found["name"] for found in listed.data] == ["Art", "Media"]
    assert listed.body["totalCount"] == 2
    assert [found["name"] for found in cast.key.get(kind.path, searchValue="MED").data] == ["Media"]


def test_names_are_unique_whatever_their_case(cast: Cast, outsiders: Cast, kind: Kind) -> None:
    assert cast.key.post(kind.path, {"name": "Press"}).status == 201
    taken = cast.key.post(kind.path, {"name": " PRESS "})
    assert (taken.status, taken.body["message"]) == (400, kind.taken)
    other = cast.key.post(kind.path, {"name": "Art"}).data["_id"]
    assert cast.key.put(f"{kind.path}/{other}", {"name": "press"}).body["message"] == kind.taken
    assert cast.key.put(f"{kind.path}/{other}", {"name": "ART"}).data["name"] == "ART"
    assert outsiders.key.post(kind.path, {"name": "Press"}).status == 201


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast, kind: Kind) -> None:
    id = outsiders.key.post(kind.path, {"name": "Press"}).data["_id"]
    unknown = "65a1b2c3d4e5f60718293a4b"
    for method, body in (("GET", None), ("PUT", {"name": "Mine"})):
        foreign = cast.key.call(method, f"{kind.path}/{id}", body)
        assert (foreign.status, foreign.body["message"]) == (400, kind.missing)
        assert foreign.body == cast.key.call(method, f"{kind.path}/{unknown}", body).body
        malformed = cast.key.call(method, f"{kind.path}/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get(kind.path).data == []
    assert outsiders.key.get(f"{kind.path}/{id}").data["name"] == "Press"


@pytest.mark.parametrize(
    "body", [{}, {"name": ""}, {"name": "  "}, {"name": 1}, {"name": "x" * 201}, {"name": "x", "shade": 1}, {"name": "x", "color": []}, []]
)
def test_a_malformed_body_is_a_400(cast: Cast, kind: Kind, body: Any) -> None:
    assert cast.key.post(kind.path, body).status == 400
    assert cast.key.get(kind.path).data == []


def test_the_permission_module_decides_at_the_session_door(db: None, kind: Kind) -> None:
    allowed = make_cast({kind.module: {"GET": True, "POST": True, "PUT": True}})
    made = allowed.narrow_session.post(kind.path, {"name": "Press"})
    assert made.status == 201
    assert allowed.narrow_session.put(f"{kind.path}/{made.data['_id']}", {"name": "Media"}).status == 200
    assert allowed.narrow_session.get(kind.path).status == 200
    refused = make_cast({})
    for method, path, body in (
        ("GET", kind.path, None),
        ("POST", kind.path, {"name": "Press"}),
        ("GET", f"{kind.path}/{made.data['_id']}", None),
        ("PUT", f"{kind.path}/{made.data['_id']}", {"name": "x"}),
    ):
        assert refused.narrow_session.call(method, path, body).status == 403
    assert refused.session.post(kind.path, {"name": "Press"}).status == 201
