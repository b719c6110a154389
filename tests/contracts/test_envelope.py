"""Envelope, error bodies and request bodies (contract sections 4.1 and 7)."""

from __future__ import annotations

from typing import Any

import pytest

from core.ids import new_id
from tests.kit.cast import KEY, Caller, Cast


def raw(cast: Cast, method: str, path: str, body: bytes, content_type: str = "application/json") -> tuple[int, Any]:
    response = cast.key.client.generic(method, KEY + path, body, content_type=content_type, headers=cast.key.headers)
    return response.status_code, response.json()


def test_success_carries_data(cast: Cast) -> None:
    answer = cast.key.post("/tag", {"name": "VIP"})
    assert (answer.status, answer.body["status"], answer.body["success"]) == (201, "success", True)
    assert answer.data["name"] == "VIP"
    assert isinstance(answer.body["message"], str)


def test_lists_carry_an_array_with_total_count_and_next_cursor(cast: Cast) -> None:
    for query in ({}, {"p": "1", "n": "10"}):
        body = cast.key.get("/tag", **query).body
        assert (body["data"], body["totalCount"], body["nextCursor"]) == ([], 0, None)


def test_the_error_body_has_its_members_and_the_refused_fields(cast: Cast) -> None:
    for answer, name, fields in (
        (cast.key.get("/tag/" + new_id()), "TagNotFound_400", None),
        (cast.key.get("/tag/x"), "InvalidDataFormat_400", ["_id"]),
        (cast.key.post("/tag", {}), "ValidationError_400", ["name"]),
        (cast.key.get("/nowhere"), "NotFound_404", None),
    ):
        assert answer.body.keys() - {"errors"} == {"message", "name", "status", "success", "warning"}
        assert answer.body["name"] == name
        assert (fields and [one["field"] for one in answer.body["errors"]]) == fields
        assert (answer.body["status"], answer.body["success"]) == ("fail", False)
        assert isinstance(answer.body["message"], str)
        assert isinstance(answer.body["warning"], str)


def test_schema_level_errors(cast: Cast) -> None:
    cast.key.post("/tag", {"name": "VIP"})
    assert cast.key.post("/tag", {}).body["message"] == "Validation error: name: This field is required."
    assert cast.key.get("/tag/12").body["message"] == "Invalid format for field _id: 12"
    assert cast.key.post("/tag", {"name": 5}).body["message"] == "Invalid format for field name: 5"
    assert cast.key.delete("/api", {"ids": ["zz"]}).body["message"] == "Invalid format for field ids: zz"


def test_a_duplicate_key_names_its_field(cast: Cast) -> None:
    from django.db import IntegrityError

    from accounts.models import Role
    from core.api.refusals import refusal_of

    with cast.scope():
        Role.objects.create(name="Seller")
        with pytest.raises(IntegrityError) as caught:
            Role.objects.create(name="Seller")
    found = refusal_of(caught.value)
    assert (found.status, found.name, found.message) == (400, "DuplicateField_400", "Duplicate field(s): name")
    assert found.errors == [{"field": "name", "message": "another record has this value already"}]


def test_unknown_paths_and_methods(cast: Cast) -> None:
    assert cast.key.get("/nowhere").status == 404
    answer = cast.key.call("PATCH", "/tag")
    assert (answer.status, answer.headers["Allow"]) == (404, "GET, POST, DELETE, HEAD, OPTIONS")
    assert answer.body["message"] == cast.key.get("/nowhere").body["message"] == "Not found. It may have been deleted."
    assert answer.body["warning"] == "this path takes GET, POST, DELETE, not PATCH"
    assert Caller("", {}).get("/api/nowhere").body["message"] == "Not found. It may have been deleted."


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{", "application/json"),
        (b"name=x", "application/x-www-form-urlencoded"),
        (b"<a/>", "application/xml"),
        (b'{"name": "a\\u0000b"}', "application/json"),
        (b'{"name": "\xff"}', "application/json"),
        (b'"text"', "application/json"),
        (b"[" * 5000, "application/json"),
    ],
)
def test_a_body_that_is_no_json_object_is_400(cast: Cast, body: bytes, content_type: str) -> None:
    status, answer = raw(cast, "POST", "/tag", body, content_type)
    assert (status, answer["status"]) == (400, "fail")
    assert answer["message"].startswith("Validation error: ")


def test_a_body_over_the_limit_is_400(cast: Cast, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    status, answer = raw(cast, "POST", "/tag", b'{"name": "' + b"x" * 1000 + b'"}')
    assert (status, answer["message"]) == (400, "Validation error: the body is too large")


@pytest.mark.unexpected
def test_an_unexpected_error_is_500_and_says_nothing_more(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("accounts.api_keys.views.create_key", fail)
    answer = cast.key.post("/api", {})
    assert answer.status == 500
    assert answer.body == {
        "status": "error",
        "success": False,
        "name": "InternalServerError_500",
        "message": "Something went wrong",
        "warning": "",
    }
