"""ViewSets, their router and lists: what refuses to exist, which address leads where, which permission opens it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings
from django.urls import include, path, reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import action
from rest_framework.test import APIRequestFactory

from config.urls import key, session
from core.access import Actor, AuthPath
from core.api.endpoint import endpoint
from core.api.input import Input, TextInput
from core.api.listing import Listing, ListRequest, Within, list_action
from core.api.output import IdField, Output
from core.api.routers import ResourceRouter
from core.api.viewsets import ResourceViewSet
from core.lists import FieldSet, ListField
from crm.models import Tag
from tests.kit.cast import SESSION, Cast
from tests.kit.factories import TagFactory


class BeanOut(Output):
    _id = IdField()
    name = serializers.CharField()


class BeanInput(Input):
    name = TextInput()


FIELDS = FieldSet(
    [ListField("_id", "id", "id", nullable=False), ListField("name", "text", "name", searchable=True, nullable=False)],
    default_sort=("name",),
)


def named(asked: ListRequest) -> Any:
    return Tag.objects.filter(name__startswith=asked.params.get("begin", ""))


class BeanViewSet(ResourceViewSet):
    module = "tag"
    listing = Listing("List beans", Tag.objects.all, FIELDS, BeanOut)

    @endpoint("Create a bean", input=BeanInput)
    def create(self, request: Any, data: dict[str, Any]) -> Any:
        return ["create", data]

    @endpoint("Update beans")
    def bulk_update(self, request: Any) -> Any:
        return "bulk_update"

    @endpoint("Delete beans")
    def bulk_destroy(self, request: Any) -> Any:
        return "bulk_destroy"

    @endpoint("Read a bean")
    def retrieve(self, request: Any, id: str) -> Any:
        return ["retrieve", id]

    @endpoint("Change a bean")
    def partial_update(self, request: Any, id: str) -> Any:
        return ["partial_update", id]

    @action(detail=True, methods=["post"], url_path="put-out")
    @endpoint("Put a bean out", module="lead", also=("contact",))
    def put_out(self, request: Any, id: str) -> Any:
        return ["put_out", id]

    @put_out.mapping.delete
    @endpoint("Take a bean in")
    def take_in(self, request: Any, id: str) -> Any:
        return ["take_in", id]

    @action(detail=False, url_path="count")
    @endpoint("Count beans")
    def count(self, request: Any) -> Any:
        return "count"

    by_begin = list_action(
        Listing("List beans by their begin", named, FIELDS, BeanOut, parameters=(OpenApiParameter("begin", str),)),
        url_path="by-begin",
        detail=False,
    )


class PodViewSet(ResourceViewSet):
    module = "contact"
    lookup_url_kwarg = "podId"

    @endpoint("Read a pod")
    def retrieve(self, request: Any, podId: str, id: str) -> Any:
        return ["pod", id, podId]


class SettingsViewSet(ResourceViewSet):
    module = "tag"
    singleton = True

    @endpoint("Read the settings")
    def retrieve(self, request: Any) -> Any:
        return "settings"

    @endpoint("Change the settings")
    def update(self, request: Any) -> Any:
        return "settings changed"


class OldBeanViewSet(ResourceViewSet):
    module = "tag"

    @endpoint("Read an old bean")
    def retrieve(self, request: Any, id: str) -> Any:
        return ["old", id]


class Trusting(BaseAuthentication):
    """Whoever the test says."""

    actor: ClassVar[Actor]

    def authenticate(self, request: Any) -> tuple[Any, Actor]:
        return self.actor, self.actor


def build() -> ResourceRouter:
    router = ResourceRouter("try", authentication=Trusting)
    router.register("bean", BeanViewSet)
    router.register("bean/<str:id>/pod", PodViewSet)
    router.register("bean/settings", SettingsViewSet)
    router.register("bean/old", OldBeanViewSet)
    return router


urlpatterns = [path("try/", include(build().urls))]
ID = "a" * 24
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


@pytest.fixture
def client(cast: Cast) -> Iterator[Client]:
    """A client of the tried conf, with a key of the cast's company."""
    Trusting.actor = Actor(AuthPath.KEY, cast.owner.user_id, cast.company.pk, is_owner=True)
    with override_settings(ROOT_URLCONF=__name__):
        yield Client()


# What refuses to exist


def test_a_viewset_without_a_module_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="Nobodys declares no permission module"):

        class Nobodys(ResourceViewSet):
            listing = Listing("List", Tag.objects.all, FIELDS, BeanOut)


def test_modules_of_all_operations_do_as_well() -> None:
    class Each(ResourceViewSet):
        listing = Listing("List", Tag.objects.all, FIELDS, BeanOut, module="tag")

    assert Each.modules_of(Each.list.endpoint) == ("tag",)
    with pytest.raises(ImproperlyConfigured, match="declares no permission module"):

        class NotAll(Each):
            @endpoint("Read")
            def retrieve(self, request: Any, id: str) -> Any: ...


def test_an_undeclared_action_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="Bare.retrieve is not declared with @endpoint"):

        class Bare(ResourceViewSet):
            module = "tag"

            def retrieve(self, request: Any, id: str) -> Any: ...

    with pytest.raises(ImproperlyConfigured, match="BareToo.undo is not declared with @endpoint"):

        class BareToo(ResourceViewSet):
            module = "tag"

            @action(detail=True)
            def undo(self, request: Any, id: str) -> Any: ...

    with pytest.raises(ImproperlyConfigured, match="BareThree.redo is not declared with @endpoint"):

        class BareThree(ResourceViewSet):
            module = "tag"

            @action(detail=True)
            @endpoint("Undo")
            def undo(self, request: Any, id: str) -> Any: ...

            @undo.mapping.delete
            def redo(self, request: Any, id: str) -> Any: ...


def test_what_no_address_leads_to_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"Lost.undo is declared, and no address leads to it"):

        class Lost(ResourceViewSet):
            module = "tag"

            @endpoint("Undo")
            def undo(self, request: Any, id: str) -> Any: ...

    with pytest.raises(ImproperlyConfigured, match=r"One.list is declared, and no address leads to it"):

        class One(ResourceViewSet):
            module = "tag"
            singleton = True
            listing = Listing("List", Tag.objects.all, FIELDS, BeanOut)

    with pytest.raises(ImproperlyConfigured, match=r"Old.get is a method; a ViewSet has actions"):

        class Old(ResourceViewSet):
            module = "tag"

            @endpoint("Read")
            def get(self, request: Any) -> Any: ...


def test_an_abstract_one_cannot_be_registered() -> None:
    class Base(ResourceViewSet, abstract=True):
        listing = Listing("List", Tag.objects.all, FIELDS, BeanOut)

    with pytest.raises(ImproperlyConfigured, match="Base is abstract"):
        ResourceRouter("try", authentication=None).register("base", Base)


def test_an_address_that_leads_to_two_is_refused() -> None:
    router = build()
    router.register("bean", OldBeanViewSet)
    with pytest.raises(ImproperlyConfigured, match="BeanViewSet"):
        router.addresses()


# Addresses


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
    assert client.get("/try/bean/").status_code == 404


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


# Permissions


def test_an_operation_may_have_modules_of_its_own(cast: Cast) -> None:
    modules = {(one.method, one.path): one.modules for one in build().operations()}
    assert modules["POST", "bean/<str:id>/put-out"] == ("lead", "contact")
    assert modules["DELETE", "bean/<str:id>/put-out"] == ("tag",)
    may = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    for module, allowed in (("tag", False), ("lead", True), ("contact", True)):
        Trusting.actor = Actor(
            AuthPath.SESSION,
            cast.owner.user_id,
            cast.company.pk,
            member_id=cast.owner.pk,
            is_accepted=True,
            permissions={module: may},
        )
        with override_settings(ROOT_URLCONF=__name__):
            put_out, take_in = (getattr(Client(), method)(f"/try/bean/{ID}/put-out") for method in ("post", "delete"))
        assert (put_out.status_code == 200) is allowed
        assert (take_in.status_code == 200) is (module == "tag")
    assert put_out.json()["data"] == ["put_out", ID]
    assert take_in.json()["warning"] == "your role lacks the permission tag.DELETE"


def test_modules_of_the_viewset_hold_unless_the_operation_names_its_own() -> None:
    class Shared(ResourceViewSet):
        module = "contact"
        also = ("lead",)

        @endpoint("Read")
        def retrieve(self, request: Any, id: str) -> Any: ...

        @endpoint("Update", also=("tag",))
        def update(self, request: Any, id: str) -> Any: ...

        @endpoint("Delete", module="file")
        def destroy(self, request: Any, id: str) -> Any: ...

    found = {name: Shared.modules_of(getattr(Shared, name).endpoint) for name in ("retrieve", "update", "destroy")}
    assert found == {"retrieve": ("contact", "lead"), "update": ("contact", "tag"), "destroy": ("file",)}


# Lists


def test_a_list_answers_what_it_declares(client: Client, cast: Cast) -> None:
    with cast.scope():
        for name in ("Ann", "Anton", "Bea"):
            TagFactory(name=name)
    paged = client.get("/try/bean", {"p": 1, "n": 2, "sortBy": "name", "sortOrder": "asc"}).json()
    assert ([row["name"] for row in paged["data"]], paged["totalCount"]) == (["Ann", "Anton"], 3)
    some = client.get("/try/bean/by-begin", {"begin": "An", "p": 1, "n": 9})
    assert sorted(row["name"] for row in some.json()["data"]) == ["Ann", "Anton"]
    assert client.get("/try/bean", {"begin": "An"}).status_code == 400
    operations = {one.action: one for one in build().operations() if one.listing}
    assert operations["list"].listing is BeanViewSet.listing
    declared = operations["by_begin"].endpoint
    assert (declared.summary, declared.many, declared.output) == ("List beans by their begin", True, BeanOut)


def test_a_list_needs_no_request(cast: Cast) -> None:
    with cast.scope():
        TagFactory(name="Ann")
        TagFactory(name="Bea")
        assert BeanViewSet.listing.rows(ListRequest()).count() == 2
        assert named(ListRequest({"begin": "B"})).get().name == "Bea"
    with pytest.raises(ImproperlyConfigured, match="depends on who asks"):
        _ = ListRequest().actor


def test_a_list_within_a_record(cast: Cast) -> None:
    plain = Listing("L", Tag.objects.all, FIELDS, BeanOut, within=Within(BeanOut, "beans", lambda: {"_id": ID}))
    asking = Listing("L", Tag.objects.all, FIELDS, BeanOut, within=Within(BeanOut, "beans", lambda asked: asked.path))
    assert plain.containing_record(ListRequest()) == ({"_id": ID}, "beans")
    assert asking.containing_record(ListRequest(path={"id": ID})) == ({"id": ID}, "beans")


# Both confs


def test_both_confs_hold_the_same_operations() -> None:
    assert key.router.operations() == session.router.operations()
    assert len(session.router.operations()) > 100
    assert key.router.authentication != session.router.authentication
