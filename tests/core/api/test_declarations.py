"""ViewSets and routers that refuse to exist."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from rest_framework.decorators import action

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.routers import ResourceRouter
from core.api.viewsets import ResourceViewSet
from crm.models import Tag
from tests.core.api.helpers import FIELDS, BeanOut, OldBeanViewSet, build


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


def test_an_action_that_reads_and_changes_a_record_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="Odd.caps: a record needs its own ViewSet"):

        class Odd(ResourceViewSet):
            module = "tag"

            @action(detail=False, methods=["get"])
            @endpoint("Read", output=BeanOut)
            def caps(self, request: Any) -> Any: ...

            @caps.mapping.put
            @endpoint("Change", output=BeanOut)
            def change_caps(self, request: Any) -> Any: ...


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
