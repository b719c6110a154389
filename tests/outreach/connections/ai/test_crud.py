"""GET, POST /apps/ai-offline and GET, PUT /apps/ai-offline/:id."""

from __future__ import annotations

import pytest

from outreach.connections.connected_apps import defaults
from outreach.models import AiApp, Ocr
from tests.kit.cast import Cast, make_cast

MISSING = "0" * 24


def test_the_first_app_is_the_default_and_says_that_no_model_is_called(cast: Cast) -> None:
    answer = cast.key.post("/apps/ai-offline", {"name": "Composer", "apiKey": "hidden"})
    assert answer.status == 201
    assert (answer.data["isDefault"], answer.data["isActive"], answer.data["provider"]) == (
        True,
        True,
        "offline-composer",
    )
    assert answer.data["providerName"] == "Offline composer (no AI model is called)"
    assert "apiKey" not in answer.data
    second = cast.key.post("/apps/ai-offline", {"name": "Second"}).data
    assert second["isDefault"] is False
    assert cast.session.put(f"/apps/ai-offline/{second['_id']}", {"isDefault": True}).data["isDefault"] is True
    assert [
        (row["name"], row["isDefault"]) for row in cast.key.get("/apps/ai-offline", sortBy="name", sortOrder="asc").data
    ] == [
        ("Composer", False),
        ("Second", True),
    ]
    none = cast.session.put(f"/apps/ai-offline/{second['_id']}", {"isDefault": False})
    assert (none.status, none.body["warning"]) == (400, "isDefault: make another app the default instead")


def test_two_who_make_a_default_at_once_are_told(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        Ocr.objects.create(name="local", is_default=True)
        other = Ocr.objects.create(name="local").pk
    first, second = (cast.key.post("/apps/ai-offline", {"name": name}).data["_id"] for name in "ab")
    monkeypatch.setattr(defaults, "release_default", lambda app: None)  # as it is while the other has not committed
    for path in (f"/apps/ai-offline/{second}", f"/apps/ocr/{other}"):
        late = cast.session.put(path, {"isDefault": True})
        assert (late.status, late.body["warning"].startswith("isDefault: another app was made")) == (409, True)
    assert cast.key.get(f"/apps/ai-offline/{first}").data["isDefault"] is True


def test_another_companys_app_looks_missing(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = AiApp.objects.create(provider="offline-composer", name="Theirs").pk
    assert cast.key.get(f"/apps/ai-offline/{foreign}").body == cast.key.get(f"/apps/ai-offline/{MISSING}").body
    assert cast.key.get(f"/apps/ai-offline/{foreign}").status == 400
    assert cast.key.put(f"/apps/ai-offline/{foreign}", {"name": "mine"}).status == 400
    assert cast.key.get("/apps/ai-offline").data == []
    assert cast.key.get("/apps/ai-offline/xyz").body["message"] == "Invalid format for field _id: xyz"


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body, field in (
        ({}, "name"),
        ({"name": 1}, "name"),
        ({"name": "a", "isActive": 1}, "isActive"),
        ({"name": "a", "x": 1}, "x"),
    ):
        answer = cast.key.post("/apps/ai-offline", body)
        assert answer.status == 400
        assert field in answer.body["warning"]


def test_roles(db: None) -> None:
    reader = make_cast({"apps": {"GET": True}})
    assert reader.narrow_session.get("/apps/ai-offline").status == 200
    assert reader.narrow_session.post("/apps/ai-offline", {"name": "a"}).status == 403
