"""Endpoints of connected apps: SMTP senders and AI apps (contract 4.12)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.selection import SelectionInput
from core.api.views import ApiView
from core.errors import NamedError
from core.lists import BulkSelection, FieldSet, ListField
from outreach.ai import services as ai_apps
from outreach.ai.models import AiApp
from outreach.senders import services as senders
from outreach.senders.models import Smtp
from outreach.senders.serializers import (
    AiAppChange,
    AiAppCreate,
    AiAppOut,
    SmtpChange,
    SmtpCreate,
    SmtpDeleted,
    SmtpOut,
    SmtpTest,
)

SMTP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("host", "text", "host", searchable=True, nullable=False),
        ListField("port", "number", "port", nullable=False),
        ListField("username", "text", "username", searchable=True, nullable=False),
        ListField("fromEmail", "text", "from_email", searchable=True, nullable=False, ignore_case=True),
        ListField("fromName", "text", "from_name", searchable=True, nullable=False),
        ListField("secure", "boolean", "secure", nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "host", "fromEmail", "fromName"),
)

AI_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)


class Senders(ApiView):
    module = "apps"

    @endpoint("List SMTP senders", output=SmtpOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(Smtp.objects.all(), SMTP_FIELDS, SmtpOut)

    @endpoint(
        "Connect an SMTP sender",
        input=SmtpCreate,
        output=SmtpOut,
        success="SmtpSenderConnected_201",
        takes="apps",
        description="The connection is tested at once, without sending; `verified` and `lastError` say what came of it. "
        "A sender that has not passed the test sends nothing.",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        smtp = senders.create_sender(member_id=self.actor.member_id, **data)
        return SmtpOut.one(Smtp.objects.filter(pk=smtp.pk))

    @endpoint(
        "Delete SMTP senders",
        input=SelectionInput,
        bulk=True,
        output=SmtpDeleted,
        success="SmtpSendersDeleted_200",
        errors=("NoSMTPSelected_400",),
        description="A sender that runs or messages refer to is switched off instead, since the log needs it.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        if not data.get("ids") and not data["select_all"]:
            raise NamedError("NoSMTPSelected_400", "ids: name the senders to delete, or set selectAll")
        body: Any = request.data
        selection = BulkSelection.parse(body, request.query_params, SMTP_FIELDS)
        ids = list(selection.apply(Smtp.objects.all()).values_list("pk", flat=True))
        deleted, off = senders.delete_senders(ids=ids, member_id=self.actor.member_id)
        return {"deletedCount": deleted, "deactivatedCount": off}


class SenderDetail(ApiView):
    module = "apps"

    @endpoint("Read an SMTP sender", output=SmtpOut, errors=("SmtpNotFound_404",))
    def get(self, request: Request, id: str) -> Any:
        found = SmtpOut.one(Smtp.objects.filter(pk=id))
        if found is None:
            raise NamedError("SmtpNotFound_404", "id: there is no such sender in this company")
        return found

    @endpoint(
        "Change an SMTP sender",
        input=SmtpChange,
        output=SmtpOut,
        success="SmtpSenderChanged_200",
        errors=("SmtpNotFound_404",),
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        senders.update_sender(smtp_id=id, member_id=self.actor.member_id, **data)
        return SmtpOut.one(Smtp.objects.filter(pk=id))


class SenderTest(ApiView):
    module = "apps"

    @endpoint(
        "Test an SMTP sender",
        output=SmtpTest,
        success="SmtpSenderTested_200",
        errors=("SmtpNotFound_404",),
        description="Connects, logs in and asks for the From address, without sending anything. A failed test answers 200 with ok false.",
    )
    def post(self, request: Request, id: str) -> Any:
        return asdict(senders.check_sender(smtp_id=id))


class AiApps(ApiView):
    """Base of the list endpoints of the kinds of AI apps."""

    module = "apps"
    kind: ClassVar[str] = "ai-offline"

    @endpoint("List AI apps of the kind", output=AiAppOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(AiApp.objects.filter(provider=ai_apps.KINDS[self.kind].provider), AI_FIELDS, AiAppOut)

    @endpoint(
        "Connect an AI app of the kind", input=AiAppCreate, output=AiAppOut, success="AiAppConnected_201", takes="apps"
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        app = ai_apps.save_ai_app(kind=self.kind, member_id=self.actor.member_id, **data)
        return AiAppOut.one(AiApp.objects.filter(pk=app.pk))


class AiAppDetail(ApiView):
    """Base of the detail endpoints of the kinds of AI apps."""

    module = "apps"
    kind: ClassVar[str] = "ai-offline"

    @endpoint("Read an AI app", output=AiAppOut, errors=("AppNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        return AiAppOut.one(AiApp.objects.filter(pk=ai_apps.get_ai_app(self.kind, id).pk))

    @endpoint(
        "Change an AI app", input=AiAppChange, output=AiAppOut, success="AiAppChanged_200", errors=("AppNotFound_400",)
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        ai_apps.save_ai_app(kind=self.kind, member_id=self.actor.member_id, app_id=id, **data)
        return AiAppOut.one(AiApp.objects.filter(pk=id))
