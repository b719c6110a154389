"""Which permission modules open an operation."""

from __future__ import annotations

from typing import Any

from django.test import Client, override_settings

from core.access import Actor, AuthPath
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from tests.core.api.helpers import ID, URLCONF, Trusting, build
from tests.kit.cast import Cast


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
        with override_settings(ROOT_URLCONF=URLCONF):
            put_out, take_in = (getattr(Client(), method)(f"/try/bean/{ID}/put-out") for method in ("post", "delete"))
        assert (put_out.status_code == 200) is allowed
        assert (take_in.status_code == 200) is (module == "tag")
    assert put_out.json()["data"] == ["put_out", ID]
    assert take_in.json()["warning"] == "your role lacks the permission tag.DELETE"


def test_modules_of_the_viewset_hold_unless_the_operation_names_its_own() -> None:
    class Shared(ResourceViewSet):
        module = "contact"
        alternate_modules = ("lead",)

        @endpoint("Read")
        def retrieve(self, request: Any, id: str) -> Any: ...

        @endpoint("Update", alternate_modules=("tag",))
        def update(self, request: Any, id: str) -> Any: ...

        @endpoint("Delete", module="file")
        def destroy(self, request: Any, id: str) -> Any: ...

    found = {name: Shared.modules_of(getattr(Shared, name).endpoint) for name in ("retrieve", "update", "destroy")}
    assert found == {"retrieve": ("contact", "lead"), "update": ("contact", "tag"), "destroy": ("file",)}
