"""GET, POST, DELETE /api and GET /api/:id (contract 4.2)."""

from __future__ import annotations

import re

import pytest
from django.db import connection

from accounts.models import ApiKey
from tests.kit.cast import Cast, make_cast


def test_post_returns_the_full_key_once_and_a_masked_one(cast: Cast) -> None:
    answer = cast.key.post("/api", {})
    assert answer.status == 201
    key = answer.data["key"]
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    assert answer.data["maskedKey"] == "*" * 11 + key[-4:]
    assert (answer.data["type"], answer.data["ipRestriction"]) == ("permanent", "open")
    assert answer.data["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}


def test_list_leaves_the_key_out(cast: Cast) -> None:
    answer = cast.key.get("/api")
    assert answer.status == 200
    assert answer.body["totalCount"] == 1
    assert [sorted(row) for row in answer.data] == [
        [
            "_id",
            "allowedIps",
            "createdAt",
            "createdBy",
            "durationMinutes",
            "ipRestriction",
            "lastUsedAt",
            "maskedKey",
            "type",
            "updatedAt",
        ]
    ]


def test_detail_returns_the_key_in_full(cast: Cast) -> None:
    answer = cast.session.get(f"/api/{cast.api_key.pk}")
    assert (answer.status, answer.data["key"]) == (200, cast.api_key.key)


def test_temporary_keys_need_a_duration(cast: Cast) -> None:
    answer = cast.key.post("/api", {"type": "temporary"})
    assert (answer.status, answer.body["status"], answer.body["success"]) == (400, "fail", False)
    assert "how long the temporary key is valid" in answer.body["message"]
    assert cast.key.post("/api", {"type": "temporary", "durationMinutes": 0}).status == 400
    for minutes in (1, 1.5, 90):
        made = cast.key.post("/api", {"type": "temporary", "durationMinutes": minutes})
        assert (made.status, repr(made.data["durationMinutes"])) == (201, repr(minutes))
    for minutes in (0.5, 0.999, "1.5", True, 2**40):
        assert cast.key.post("/api", {"type": "temporary", "durationMinutes": minutes}).status == 400, minutes


def test_durations_are_sorted_and_filtered_as_numbers(cast: Cast) -> None:
    for minutes in (10, 1.5, 2.25):
        cast.key.post("/api", {"type": "temporary", "durationMinutes": minutes})
    asked = {"filters": {"type": "temporary"}, "sortBy": "durationMinutes", "sortOrder": "asc", "n": "2"}
    first = cast.key.get("/api", **asked, cursorPagination="true")
    assert [row["durationMinutes"] for row in first.data] == [1.5, 2.25]
    rest = cast.key.get("/api", **asked, cursor=first.body["nextCursor"])
    assert [row["durationMinutes"] for row in rest.data] == [10]
    assert [row["durationMinutes"] for row in cast.key.get("/api", filters={"durationMinutes": 1.5}).data] == [1.5]


@pytest.mark.django_db
def test_who_is_no_owner_gets_their_own_key_in_full_and_no_others() -> None:
    cast = make_cast({"api": {"GET": True, "POST": True}})
    own = cast.narrow_session.post("/api", {}).data
    assert cast.narrow_session.get(f"/api/{own['_id']}").data["key"] == own["key"]
    others = cast.narrow_session.get(f"/api/{cast.api_key.pk}")
    assert (others.status, others.data["key"], others.data["maskedKey"]) == (200, None, cast.api_key.masked_key)


def test_delete_takes_ids_and_a_deleted_key_is_refused(cast: Cast) -> None:
    made = cast.key.post("/api", {}).data
    assert cast.session.delete("/api", {"ids": [made["_id"]]}).data == {"deletedCount": 1}
    assert cast.session.get(f"/api/{made['_id']}").status == 400
    assert cast.session.delete("/api", {"ids": [made["_id"]]}).status == 400


def test_keys_are_encrypted_and_hashed_in_the_database(cast: Cast) -> None:
    with connection.cursor() as cursor, cast.scope():
        connection.apply_scope()
        cursor.execute("SELECT key, key_hash FROM accounts_apikey")
        [(stored, hashed)] = cursor.fetchall()
    assert cast.api_key.key not in stored
    assert cast.api_key.key not in hashed


def test_another_companys_key_looks_missing(cast: Cast, outsiders: Cast) -> None:
    missing = cast.key.get("/api/" + "0" * 24)
    foreign = cast.key.get(f"/api/{outsiders.api_key.pk}")
    assert (foreign.status, foreign.body) == (missing.status, missing.body)
    assert cast.key.delete("/api", {"ids": [outsiders.api_key.pk]}).status == 400
    with outsiders.scope():
        assert ApiKey.objects.count() == 1


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body, field in (
        ({"type": "eternal"}, "type"),
        ({"durationMinutes": "5"}, "durationMinutes"),
        ({"colour": 1}, "colour"),
    ):
        answer = cast.key.post("/api", body)
        assert answer.status == 400
        assert field in answer.body["warning"]
    assert cast.key.get("/api/xyz").body["message"] == "Invalid format for field _id: xyz"
