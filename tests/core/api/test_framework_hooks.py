"""DRF's hooks of ViewSets: permission and throttle classes, filter backends, the pagination class."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.test import Client, RequestFactory
from rest_framework.decorators import action
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import BasePermission
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from core.access import Actor, AuthPath, Entitlement
from core.api.endpoint import endpoint
from core.api.pagination import ListPagination
from core.api.viewsets import ResourceViewSet
from core.lists import matching
from crm.contacts.views import ContactViewSet
from tests.core.api.helpers import BeanViewSet, Trusting
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory

NO_REQUESTS = Entitlement(limits={"api-requests-each": 0})
READ_ONLY = {"tag": {"GET": True}}


def act(**values: Any) -> None:
    """Change the actor of the requests that follow."""
    Trusting.actor = replace(Trusting.actor, **values)


def test_a_term_comes_before_limits_limits_before_permissions_and_these_before_the_query(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BeanViewSet, "enforce_key_expiry", True)
    act(is_owner=False, permissions={}, entitlement=NO_REQUESTS, expired=True)
    expired = client.get("/try/bean", {"n": "none"})
    act(expired=False)
    limited = client.get("/try/bean", {"n": "none"})
    act(entitlement=Entitlement())
    forbidden = client.get("/try/bean", {"n": "none"})
    act(permissions=READ_ONLY)
    malformed = client.get("/try/bean", {"n": "none"})
    answers = [expired, limited, forbidden, malformed]
    assert [answer.status_code for answer in answers] == [401, 429, 403, 400]
    assert ["RateLimit" in answer.headers for answer in answers] == [False, True, True, True]


def test_a_missing_subscription_comes_before_the_permission(client: Client) -> None:
    act(is_owner=False, permissions={}, entitlement=None)
    answer = client.get("/try/bean")
    assert answer.json()["name"] == "SubscriptionExpired_400"
    assert "RateLimit" in answer.headers


def test_visits_of_staff_read_only_and_are_not_counted(client: Client, cast: Cast) -> None:
    Trusting.actor = Actor(AuthPath.SESSION, cast.owner.user_id, cast.company.pk, visiting=True)
    shown = client.get("/try/bean")
    refused = client.put("/try/bean", {}, content_type="application/json")
    assert (shown.status_code, refused.status_code) == (200, 403)
    assert refused.json()["warning"] == "a visit is for looking only"
    assert not {"RateLimit", "RateLimit-Policy"} & {*shown.headers, *refused.headers}


def test_any_permission_class_refuses_in_the_envelope(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(BasePermission):
        message = "the beans are closed"

        def has_permission(self, request: Any, view: Any) -> bool:
            return False

    monkeypatch.setattr(BeanViewSet, "permission_classes", (*BeanViewSet.permission_classes, Closed))
    answer = client.get("/try/bean")
    assert answer.status_code == 403
    assert answer.json()["name"] == "UnauthorizedAction_403"
    assert answer.json()["warning"] == "the beans are closed"


def test_a_view_that_declares_no_access_is_refused_by_default(cast: Cast) -> None:
    Trusting.actor = Actor(AuthPath.SESSION, cast.owner.user_id, cast.company.pk)

    class Plain(APIView):
        def get(self, request: Any) -> Response:
            return Response("open")

    class Undeclared(ResourceViewSet, abstract=True):
        authentication_classes = (Trusting,)

        @endpoint("Try")
        def retrieve(self, request: Any) -> Any:
            return "open"

    request = RequestFactory().get("/try")
    assert Plain.as_view()(request).status_code == 403
    refused = Undeclared.as_view({"get": "retrieve"})(request)
    assert (refused.status_code, refused.data["warning"]) == (403, "the view declares no permission module")


@pytest.mark.parametrize("name", ["permission_classes", "throttle_classes", "filter_backends"])
def test_a_viewset_adds_classes_and_drops_none(name: str) -> None:
    inherited = getattr(ResourceViewSet, name)
    assert inherited
    type("More", (ResourceViewSet,), {name: (*inherited, object)})
    with pytest.raises(ImproperlyConfigured, match=f"{name} lacks classes of ResourceViewSet"):
        type("Other", (ResourceViewSet,), {name: (object,)})

    @action(detail=True, **{name: [object]})
    @endpoint("Try")
    def attempt(view: Any, request: Any, id: str) -> Any: ...

    with pytest.raises(ImproperlyConfigured, match=f"{name} lacks classes of ResourceViewSet"):
        type("Acting", (ResourceViewSet,), {"module": "tag", "attempt": attempt})


def test_any_throttle_class_refuses(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Never(BaseThrottle):
        def allow_request(self, request: Any, view: Any) -> bool:
            return False

    monkeypatch.setattr(BeanViewSet, "throttle_classes", (*BeanViewSet.throttle_classes, Never))
    assert client.get("/try/bean").status_code == 429


def test_lists_go_through_filter_backends_and_the_pagination_class(
    client: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OnlyBobs(BaseFilterBackend):
        def filter_queryset(self, request: Any, queryset: Any, view: Any) -> QuerySet[Any]:
            filtered: QuerySet[Any] = queryset.filter(name__startswith="Bob")
            return filtered

    class Marked(ListPagination):
        def get_paginated_response(self, data: Any) -> Response:
            response = super().get_paginated_response(data)
            response["X-Page"] = "yes"
            return response

    with cast.scope():
        for name in ("Ann", "Bob"):
            TagFactory(name=name)
    monkeypatch.setattr(BeanViewSet, "filter_backends", (*BeanViewSet.filter_backends, OnlyBobs))
    monkeypatch.setattr(BeanViewSet, "pagination_class", Marked)
    page = client.get("/try/bean", {"p": 1, "n": 10})
    assert [row["name"] for row in page.json()["data"]] == ["Bob"]
    assert page.json()["totalCount"] == 1
    assert page["X-Page"] == "yes"
    whole = client.get("/try/bean")
    assert b'"Bob"' in b"".join(whole.streaming_content)  # type: ignore[attr-defined]
    assert "X-Page" not in whole.headers


def test_filter_backends_narrow_and_order_for_any_pagination_class(
    client: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Names(PageNumberPagination):
        page_size = 2

        def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
            return [tag.name for tag in super().paginate_queryset(queryset, request, view) or ()]

    with cast.scope():
        tags = {name: TagFactory(name=name).pk for name in ("Alina", "Bob", "Bobby", "Rob", "Robert")}
    monkeypatch.setattr(BeanViewSet, "pagination_class", Names)
    ordered = {"searchBy": "name", "searchValue": "ob", "sortBy": "name", "sortOrder": "desc"}
    assert client.get("/try/bean", ordered).json()["results"] == ["Robert", "Rob"]
    filters = json.dumps({"name": ["Alina", "Bobby", "Rob"]})
    narrowed = client.get("/try/bean", {**ordered, "filters": filters, "nids": tags["Rob"]}).json()
    assert (narrowed["count"], narrowed["results"]) == (1, ["Bobby"])
    chosen = client.get("/try/bean", {"ids": f"{tags['Rob']},{tags['Alina']}"}).json()
    assert (chosen["count"], chosen["results"]) == (2, ["Rob", "Alina"])


def test_backends_of_a_viewset_count_in_every_form_of_a_search(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    class OnlyBobs(BaseFilterBackend):
        def filter_queryset(self, request: Any, queryset: Any, view: Any) -> QuerySet[Any]:
            filtered: QuerySet[Any] = queryset.filter(name__startswith="Bob")
            return filtered

    with cast.scope():
        for name in ("Ann Miller", "Bob Miller", "Bob Smith"):
            ContactFactory(name=name)
    monkeypatch.setattr(ContactViewSet, "filter_backends", (OnlyBobs, *ContactViewSet.filter_backends))
    for most in (0, 5000):
        # Few matches are looked up, many are compared in the order of the list.
        monkeypatch.setattr(matching, "MAX_COUNTED", most)
        page = cast.key.get("/contact", p=1, n=10, searchValue="miller")
        assert [row["name"] for row in page.data] == ["Bob Miller"]
