"""Endpoints of widgets, for members."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.chat.widgets import services
from outreach.chat.widgets.filters import WIDGET_FIELDS
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.public_serializers import WidgetConfig
from outreach.chat.widgets.serializers import WidgetChange, WidgetCreate, WidgetDelete, WidgetOut

NOT_FOUND = (services.NOT_FOUND,)


def _widget_data(id: str) -> JsonObject:
    services.get_widget(id)
    return WidgetOut.one(ChatWidget.objects.filter(pk=id)) or {}


class ChatWidgetViewSet(ResourceViewSet):
    module = services.MODULE
    nothing_selected = services.NONE_SELECTED
    listing = Listing("List chat widgets", ChatWidget.objects.all, WIDGET_FIELDS, WidgetOut)

    @endpoint(
        "Create a chat widget",
        input=WidgetCreate,
        output=WidgetOut,
        success="ChatWidgetCreated_201",
        errors=(services.TAKEN, services.NO_CHATBOT),
        quota_module=services.MODULE,
        description="A chat on a website: put `snippet` into its pages. It works on `allowedOrigins` alone.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _widget_data(services.create_widget(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a chat widget", output=WidgetOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _widget_data(id)

    @endpoint(
        "Update a chat widget",
        input=WidgetChange,
        output=WidgetOut,
        success="ChatWidgetUpdated_200",
        errors=(*NOT_FOUND, services.TAKEN, services.NO_CHATBOT),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_widget(id=id, member_id=self.actor.member_id, **data)
        return _widget_data(id)

    @endpoint(
        "Delete chat widgets",
        input=WidgetDelete,
        output=Deleted,
        bulk=True,
        success="ChatWidgetsDeleted_200",
        errors=(*NOT_FOUND, services.NONE_SELECTED),
        description="What was said there stays; visitors write no more.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_widgets(selection=self.selection())}

    @action(detail=False, methods=["post"])
    @endpoint(
        "Preview a chat widget",
        input=WidgetChange,
        output=WidgetConfig,
        errors=(services.NO_CHATBOT,),
        permission="GET",
        description="What visitors' browsers would get of these values; with none, what a new widget begins with.",
    )
    def preview(self, request: Request, data: JsonObject) -> object:
        return services.preview_widget(**data)
