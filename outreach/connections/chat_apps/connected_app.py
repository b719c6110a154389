"""The spec of chat apps as a connected app."""

from __future__ import annotations

from core.api.selection import SelectionInput
from outreach.connections.chat_apps import services
from outreach.connections.chat_apps.filters import CHAT_APP_FIELDS
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.serializers import (
    ChatAppChange,
    ChatAppCreate,
    ChatAppOut,
    ChatAppsDeleted,
    ChatAppTest,
)
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY

REFUSED = "InvalidCredentials_400"

CHATAPP = ConnectedApp(
    key=services.KEY,
    model=ChatApp,
    rows=services.numbers,
    fields=CHAT_APP_FIELDS,
    output=ChatAppOut,
    secrets=services.SECRETS,
    capabilities=frozenset({Capability.SEND_CHAT}),
    not_found=services.not_found,
    list_summary="List chat apps",
    retrieve_summary="Read a chat app",
    create=AppOperation(
        summary="Connect a chat app",
        run=services.create_app,
        success="ChatAppConnected_201",
        input=ChatAppCreate,
        errors=(BUSY, REFUSED),
        description="A number at the chat vendor, by the company's own token. The vendor is asked at once: a token that"
        " it refuses is not connected; where it cannot be asked, the app is connected unverified and sends nothing"
        " before a test passes. Enter webhookUrl and verifyToken at the vendor.",
    ),
    update=AppOperation(
        summary="Change a chat app",
        run=services.update_app,
        success="ChatAppChanged_200",
        input=ChatAppChange,
        errors=(BUSY, REFUSED),
    ),
    delete=AppOperation(
        summary="Delete chat apps",
        run=services.delete_apps,
        success="ChatAppsDeleted_200",
        input=SelectionInput,
        output=ChatAppsDeleted,
        errors=(services.NOT_FOUND,),
        description="An app that messages or conversations refer to is switched off instead, since the log needs it.",
    ),
    nothing_selected=services.NOT_FOUND,
    test=AppOperation(
        summary="Test a chat app",
        run=services.check_app,
        success="ChatAppTested_200",
        output=ChatAppTest,
        errors=(BUSY,),
        description="Asks the vendor for the number, and sends nothing. A failed test answers 200 with ok false.",
    ),
)
