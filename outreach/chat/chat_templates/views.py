"""Endpoints of chat templates."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, PermissionLacking
from core.types import JsonObject
from crm.files.selectors import readable_files
from outreach.chat.chat_templates import services
from outreach.chat.chat_templates.filters import TEMPLATE_FIELDS
from outreach.chat.chat_templates.serializers import (
    ChatPreviewInput,
    ChatTemplateChange,
    ChatTemplateCreate,
    ChatTemplateDelete,
    ChatTemplateOut,
    ChatTemplatePreview,
    HandleInput,
    HandleOut,
    SyncInput,
    SyncOut,
)
from outreach.chat.chat_templates.values import Filled
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.connected_apps.turns import BUSY
from outreach.messaging.email_templates.views import asked_contact, check_sees_contact

NOT_FOUND = services.NOT_FOUND
REFUSED = (
    "InvalidChatAppTemplate_400",
    "ButtonTextTooLong_400",
    "ButtonExampleRequired_400",
    "InvalidVariables_400",
    "ChatAppNotFound_404",
)
CONTACT = OpenApiParameter("contactId", str, description="Whose values it gets; without it the variables stay.")


def _template_data(id: str) -> JsonObject:
    services.get_template(id)
    return ChatTemplateOut.one(ChatTemplate.objects.filter(pk=id)) or {}


def _filled_data(filled: Filled) -> JsonObject:
    return {"text": filled.text, "missing": list(filled.missing), **filled.pieces}


class ChatTemplateViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List chat templates", ChatTemplate.objects.all, TEMPLATE_FIELDS, ChatTemplateOut)

    @endpoint(
        "Write a chat template",
        input=ChatTemplateCreate,
        output=ChatTemplateOut,
        success="TemplateCreated_201",
        errors=REFUSED,
        quota_module=services.MODULE,
        description="It is a draft until POST …/submit gives it to the chat vendor.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _template_data(services.create_template(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a chat template", output=ChatTemplateOut, errors=(NOT_FOUND,))
    def retrieve(self, request: Request, id: str) -> object:
        return _template_data(id)

    @endpoint(
        "Update a chat template",
        input=ChatTemplateChange,
        output=ChatTemplateOut,
        success="TemplateUpdated_200",
        errors=(NOT_FOUND, "CannotUpdateApprovedTemplate_400", *REFUSED),
        description="Other words make a draft of it, which goes nowhere until it is approved anew. One that was"
        " approved keeps its name, language and category.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_template(id=id, member_id=self.actor.member_id, **data)
        return _template_data(id)

    @endpoint(
        "Delete chat templates",
        input=ChatTemplateDelete,
        output=Deleted,
        bulk=True,
        success="TemplatesDeleted_200",
        errors=(NOT_FOUND, "InvalidChatAppTemplate_400"),
        description=f"At the vendor too; at most {services.MAX_DELETED} at once.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_templates(selection=self.selection())}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Submit a chat template to the vendor",
        output=ChatTemplateOut,
        success="TemplateSubmitted_200",
        errors=(NOT_FOUND, "InvalidChatAppTemplate_400", BUSY),
        description="It is PENDING until the vendor's webhook, or the hourly look, says what became of it.",
    )
    def submit(self, request: Request, id: str) -> object:
        services.submit_template(id=id, member_id=self.actor.member_id)
        return _template_data(id)

    @action(detail=True, methods=["get"])
    @endpoint(
        "Preview a chat template",
        output=ChatTemplatePreview,
        errors=(NOT_FOUND, "ContactNotFound_400", "UnauthorizedAction_403"),
        parameters=(CONTACT,),
    )
    def preview(self, request: Request, id: str) -> object:
        return _filled_data(services.preview_template(id=id, contact_id=asked_contact(self)))

    @action(detail=False, methods=["post"], url_path="preview")
    @endpoint(
        "Preview the words of a chat template",
        input=ChatPreviewInput,
        output=ChatTemplatePreview,
        errors=(*REFUSED[:4], "ContactNotFound_400", "UnauthorizedAction_403"),
        permission="GET",
        description="Before they are saved. By session a contact takes contact.GET.",
    )
    def preview_words(self, request: Request, data: JsonObject) -> object:
        contact = data.pop("contact_id", None)
        check_sees_contact(self.actor, contact)
        return _filled_data(services.preview_words(contact_id=contact, **data)[1])

    @action(detail=False, methods=["post"], url_path="sync")
    @endpoint(
        "Ask the vendor for the state of an app's templates",
        input=SyncInput,
        output=SyncOut,
        errors=("ChatAppNotFound_404", "InvalidChatAppTemplate_400", BUSY),
        permission="PUT",
        description="As the service does by itself each hour.",
    )
    def sync(self, request: Request, data: JsonObject) -> object:
        return {"known": services.sync_now(app=data["app"])}

    @action(detail=False, methods=["post"], url_path="handle")
    @endpoint(
        "Upload a file for the header of chat templates",
        input=HandleInput,
        output=HandleOut,
        errors=(
            *("ChatAppNotFound_404", "FileNotFound_400", "UnsupportedFileType_400", "FileUploadFailed_400"),
            *("UnauthorizedAction_403", BUSY),
        ),
    )
    def handle_file(self, request: Request, data: JsonObject) -> object:
        if not (self.actor.is_unbounded or self.actor.may("file", "GET")):
            raise PermissionLacking("file.GET", field="file")
        file = readable_files(self.actor).select_related("bucket").filter(pk=data["file"], trashed_at=None).first()
        if file is None:
            raise NamedError("FileNotFound_400", "there is no such file in this company", field="file")
        return {"handle": services.header_handle(app=data["app"], file=file)}
