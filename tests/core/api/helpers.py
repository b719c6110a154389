"""ViewSets and addresses to try the router with."""

from __future__ import annotations

from typing import Any, ClassVar

from django.urls import include, path
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import action

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.input import Input, TextInput
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import IdField, Output
from core.api.routers import Addresses, ResourceRouter
from core.api.viewsets import ResourceViewSet
from core.lists import FieldSet, ListField
from crm.models import Tag


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
    @endpoint("Put a bean out", module="lead", alternate_modules=("contact",))
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


urlpatterns = [path("try/", include([Addresses(build().urls)]))]
URLCONF = __name__
ID = "a" * 24
