"""Which address leads to which action, and what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import Resolver404, URLResolver, include, path, reverse
from django.urls.resolvers import RoutePattern
from rest_framework.test import APIRequestFactory

from config.urls import key, session
from core.api.endpoint import endpoint
from core.api.routers import PARAMETER, Addresses, ResourceRouter
from core.api.viewsets import ResourceViewSet
from tests.core.api.helpers import ID, Trusting, build
from tests.kit.cast import SESSION

ALL_ACTIONS = [
    ("GET", "bean", "list"),
    ("POST", "bean", "create"),
    ("PUT", "bean", "bulk_update"),
    ("DELETE", "bean", "bulk_destroy"),
    ("GET", "bean/by-begin", "by_begin"),
    ("GET", "bean/count", "count"),
    ("GET", "bean/settings", "retrieve"),
    ("PUT", "bean/settings", "update"),
    ("GET", "bean/old/<str:id>", "retrieve"),
    ("GET", "bean/<str:id>", "retrieve"),
    ("PATCH", "bean/<str:id>", "partial_update"),
    ("POST", "bean/<str:id>/put-out", "put_out"),
    ("DELETE", "bean/<str:id>/put-out", "take_in"),
    ("GET", "bean/<str:id>/pod/<str:podId>", "retrieve"),
]


def test_every_action_has_its_method_and_address() -> None:
    assert sorted((one.method, one.path, one.action) for one in build().operations()) == sorted(ALL_ACTIONS)


def test_fixed_segments_come_before_parameters() -> None:
    paths = [address.path for address in build().addresses()]
    assert paths.index("bean/settings") < paths.index("bean/<str:id>")
    assert paths.index("bean/count") < paths.index("bean/<str:id>")
    assert paths.index("bean/old/<str:id>") < paths.index("bean/<str:id>/put-out")


def test_names_of_addresses() -> None:
    assert [pattern.name for pattern in build().urls if "put-out" in str(pattern.pattern)] == ["try.bean/{id}/put-out"]
    assert reverse("api.protected.tag/{id}", args=(ID,)) == f"{SESSION}/tag/{ID}"


def test_addresses_lead_where_django_would_lead_them() -> None:
    plain = URLResolver(RoutePattern(""), key.router.urls)
    quick = Addresses(key.router.urls)
    for address in key.router.addresses():
        asked = PARAMETER.sub(ID, address.path)
        found, expected = (resolver.resolve(asked) for resolver in (quick, plain))
        assert (found.route, found.url_name, found.kwargs) == (expected.route, expected.url_name, expected.kwargs)
        values = found.kwargs
        for forgiven in (
            f"{asked}/",
            asked.upper().replace(ID.upper(), ID),
            f"{asked.title().replace(ID.title(), ID)}/",
        ):
            assert (quick.resolve(forgiven).route, quick.resolve(forgiven).kwargs) == (found.route, values), forgiven
        for wrong in (f"{asked}//", f"{asked}/x/x/x", f"/{asked}"):
            with pytest.raises(Resolver404):
                quick.resolve(wrong)
            with pytest.raises(Resolver404):
                plain.resolve(wrong)


def test_a_mount_takes_whole_addresses_only() -> None:
    for route in ("<str:id>", "bean/<path:rest>", "bean/<int:number>"):
        with pytest.raises(ImproperlyConfigured):
            Addresses([path(route, lambda request: None)])  # type: ignore[arg-type, return-value]
    with pytest.raises(ImproperlyConfigured):
        Addresses([path("bean/", include([]))])


def test_answers(client: Client) -> None:
    body = {"content_type": "application/json", "data": {"name": "x"}}
    assert client.post("/try/bean", **body).json()["data"] == ["create", {"name": "x"}]
    assert client.put("/try/bean").json()["data"] == "bulk_update"
    assert client.delete("/try/bean").json()["data"] == "bulk_destroy"
    assert client.get(f"/try/bean/{ID}").json()["data"] == ["retrieve", ID]
    assert client.patch(f"/try/bean/{ID}").json()["data"] == ["partial_update", ID]
    assert client.post(f"/try/bean/{ID}/put-out").json()["data"] == ["put_out", ID]
    assert client.delete(f"/try/bean/{ID}/put-out").json()["data"] == ["take_in", ID]
    assert client.get(f"/try/bean/{ID}/pod/{ID[::-1]}").json()["data"] == ["pod", ID, ID[::-1]]
    assert client.get("/try/bean/settings").json()["data"] == "settings"
    assert client.put("/try/bean/settings").json()["data"] == "settings changed"
    assert client.get(f"/try/bean/old/{ID}").json()["data"] == ["old", ID]


def test_what_is_refused(client: Client) -> None:
    malformed = client.get("/try/bean/nonsense.x")
    assert (malformed.status_code, malformed.json()["message"]) == (400, "Invalid format for field _id: nonsense.x")
    missing = client.put(f"/try/bean/{ID}")
    assert (missing.status_code, set(missing["Allow"].split(", "))) == (404, {"GET", "PATCH", "HEAD", "OPTIONS"})
    assert client.post("/try/bean", {"name": 1}, content_type="application/json").status_code == 400
    assert client.get("/try/bean//").status_code == 404


def test_head_is_a_get_without_body(client: Client) -> None:
    answer = client.head(f"/try/bean/{ID}")
    assert (answer.status_code, answer.content) == (200, b"")
    assert client.head(f"/try/bean/{ID}/put-out").status_code == 404


def test_every_method_answers_as_get_does(client: Client) -> None:
    class Constant(ResourceViewSet):
        private = True
        singleton = True
        every_method = True

        @endpoint("Read it")
        def retrieve(self, request: Any) -> Any:
            return 42

    router = ResourceRouter("try", authentication=None)
    router.register("constant", Constant)
    assert {(one.method, one.action) for one in router.operations()} == {
        (method, "retrieve") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    }
    for one in router.operations():
        request = APIRequestFactory().generic(one.method, "/")
        assert one.as_view(authentication_classes=[Trusting])(request).data["data"] == 42


def test_both_confs_hold_the_same_operations() -> None:
    assert key.router.operations() == session.router.operations()
    assert len(session.router.operations()) > 100
    assert key.router.authentication != session.router.authentication
