"""Endpoints that list the available mail vendors, and begin log-ins there."""

from __future__ import annotations

from functools import cache
from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.connections.mail_vendors.logins import begin_login
from outreach.connections.mail_vendors.registry import channel_of, letters
from outreach.connections.mail_vendors.serializers import (
    LoginBegin,
    LoginBegun,
    MailVendorsOut,
    describe_vendors,
    list_connected_apps,
    working,
)
from outreach.connections.mail_vendors.services import not_found


class MailVendorViewSet(ResourceViewSet):
    module = "apps"
    singleton = True

    @endpoint(
        "List the mail vendors, and the company's apps of them",
        description="Vendors that can be connected, with the values that each takes, and the connected apps.",
        output=MailVendorsOut,
    )
    def retrieve(self, request: Request) -> object:
        apps = list_connected_apps()
        return {"vendors": describe_vendors(), "apps": apps, "senders": working(apps)}


@cache
def login_viewset(letter: str) -> type[ResourceViewSet]:
    """Return the ViewSet that begins log-ins at the letter's vendor."""
    name = letters()[letter].name

    @endpoint(
        f"Begin a log-in at {name}",
        input=LoginBegin,
        output=LoginBegun,
        success="MailvendorLoginBegun_201",
        errors=("AppNotFound_400", not_found(letter).name),
        description=f"`url` is a page of {name}, where the member allows it. From there the browser comes back to"
        f" /oauth/{channel_of(letter)}/callback with code and state, which connect an app (POST /apps/"
        f"{channel_of(letter)}) or renew its log-in (PUT). They hold for this member, once.",
    )
    def create(self: Any, request: Request, data: JsonObject) -> object:
        return begin_login(letter=letter, member_id=self.actor.member_id, **data)

    return type(
        f"Mailvendor{letter.upper()}LoginViewSet",
        (ResourceViewSet,),
        {"__module__": __name__, "module": "apps", "singleton": True, "create": create},
    )
