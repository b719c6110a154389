"""The spec of social apps as a connected app."""

from __future__ import annotations

from core.api.selection import SelectionInput
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.social_apps import services
from outreach.connections.social_apps.filters import SOCIAL_APP_FIELDS
from outreach.connections.social_apps.models import SocialAApp
from outreach.connections.social_apps.serializers import (
    SocialAppChange,
    SocialAppCreate,
    SocialAppOut,
    SocialAppsDeleted,
    SocialAppTest,
)

SOCIAL_A = ConnectedApp(
    key=services.KEY,
    model=SocialAApp,
    rows=SocialAApp.objects.all,
    fields=SOCIAL_APP_FIELDS,
    output=SocialAppOut,
    secrets=services.SECRETS,
    capabilities=frozenset({Capability.RECEIVE_LEADS}),
    not_found=services.not_found,
    list_summary="List social apps",
    retrieve_summary="Read a social app",
    create=AppOperation(
        summary="Connect a social app",
        run=services.create_app,
        success="SocialAppConnected_201",
        input=SocialAppCreate,
        errors=(BUSY, services.REFUSED, *(missing for *_, missing in services.NEEDED)),
        description="The user token is exchanged for a long-lived one, and the tokens of the user's pages are stored."
        " Enter webhookUrl and verifyToken at the platform, for `leadgen`.",
    ),
    update=AppOperation(
        summary="Change a social app",
        run=services.update_app,
        success="SocialAppChanged_200",
        input=SocialAppChange,
        errors=(BUSY, services.REFUSED),
        description="A new token fetches the leads that waited for it.",
    ),
    delete=AppOperation(
        summary="Delete social apps",
        run=services.delete_apps,
        success="SocialAppsDeleted_200",
        input=SelectionInput,
        output=SocialAppsDeleted,
        errors=(services.NOT_FOUND,),
        description="Their forms stay with the leads that they had, and get no more.",
    ),
    nothing_selected=services.NOT_FOUND,
    test=AppOperation(
        summary="Test a social app",
        run=services.check_app,
        success="SocialAppTested_200",
        output=SocialAppTest,
        errors=(BUSY,),
        description="Asks the platform for the user's pages. A failed test answers 200 with ok false.",
    ),
)
