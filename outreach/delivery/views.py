"""Endpoints of single messages, the message log and suppressed addresses."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from accounts.members.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.selection import SelectionInput
from core.api.views import ApiView
from core.errors import InvalidFormat, NamedError
from core.ids import is_id
from core.lists import BulkSelection, FieldSet, ListField
from outreach.delivery import services as messages
from outreach.delivery.models import SendJob
from outreach.genie.selectors import message_log, message_view
from outreach.genie.serializers import (
    MessageDetail,
    MessageEdit,
    MessageOut,
    SmtpMessageOut,
    SuppressionCreate,
    SuppressionOut,
)
from outreach.suppression.models import Suppression
from outreach.suppression.services import delete_suppressions, suppress_address


def _message_fields(recipient: str) -> list[ListField]:
    return [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("reason", "text", "reason", nullable=False),
        ListField(recipient, "text", "recipient", searchable=True, nullable=False, ignore_case=True),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("messageId", "text", "message_id", nullable=False),
        ListField("attempts", "number", "attempts", nullable=False),
        ListField("run", "id", "run_id"),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True, nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("sendingAt", "date", "sending_at"),
        ListField("sentAt", "date", "sent_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ]


MESSAGE_FIELDS = FieldSet(
    _message_fields("recipient"), default_sort=("createdAt",), default_search=("recipient", "subject")
)
LOG_FIELDS = FieldSet(_message_fields("to"), default_sort=("createdAt",), default_search=("to", "subject"))
SUPPRESSION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("reason", "text", "reason", nullable=False),
        ListField("source", "text", "source", searchable=True, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("email",),
)


class Messages(ApiView):
    module = "genie"

    @endpoint(
        "List messages",
        output=MessageOut,
        many=True,
        parameters=(OpenApiParameter("run", str, description="Only the messages of this run."),),
    )
    def get(self, request: Request) -> Any:
        rows, run = SendJob.objects.all(), request.query_params.get("run")
        if run is not None:
            if not is_id(run):
                raise InvalidFormat("run", run, "an id is 24 hex characters")
            rows = rows.filter(run_id=run)
        return self.list_response(rows, MESSAGE_FIELDS, MessageOut, extra=("run",))


def _detail(message_id: str) -> dict[str, Any]:
    found = MessageDetail.one(SendJob.objects.filter(pk=message_id))
    if found is None:
        raise NamedError("NotFound_404", "sendJobId: there is no such message in this company")
    return {**found, **message_view(message_id)}


class MessageView(ApiView):
    module = "genie"

    @endpoint(
        "Read a message",
        output=MessageDetail,
        errors=("NotFound_404",),
        description="Says why it has not gone, and when it will.",
    )
    def get(self, request: Request, sendJobId: str) -> Any:
        return _detail(sendJobId)

    @endpoint(
        "Edit a draft",
        input=MessageEdit,
        output=MessageDetail,
        success="DraftChanged_200",
        errors=("NotFound_404", "CampaignCannotBeUpdated_400"),
    )
    def put(self, request: Request, sendJobId: str, data: dict[str, Any]) -> Any:
        messages.edit_message(message_id=sendJobId, member_id=self.actor.member_id, **data)
        return _detail(sendJobId)


class MessageApprove(ApiView):
    module = "genie"

    @endpoint(
        "Approve a draft",
        output=MessageOut,
        success="MessageApproved_200",
        errors=("NotFound_404", "CampaignCannotBeUpdated_400"),
    )
    def post(self, request: Request, sendJobId: str) -> Any:
        messages.approve_one(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))


class MessageDraft(ApiView):
    module = "genie"

    @endpoint(
        "Make a draft of an approved message",
        output=MessageOut,
        success="MessageHeld_200",
        errors=("NotFound_404", "CampaignCannotBeUpdated_400"),
    )
    def post(self, request: Request, sendJobId: str) -> Any:
        messages.hold_one(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))


class SmtpLog(ApiView):
    module = "logs"

    @endpoint("List the messages that went out by SMTP", output=SmtpMessageOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(message_log(), LOG_FIELDS, SmtpMessageOut)


class Suppressions(ApiView):
    module = "genie"

    @endpoint("List addresses that are never written to", output=SuppressionOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(Suppression.objects.all(), SUPPRESSION_FIELDS, SuppressionOut)

    @endpoint(
        "Never write to an address again",
        input=SuppressionCreate,
        output=SuppressionOut,
        success="AddressSuppressed_201",
        description="An address that is listed already keeps its first reason.",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        made = suppress_address(member_id=self.actor.member_id, **data)
        return SuppressionOut.one(Suppression.objects.filter(pk=made.pk))

    @endpoint(
        "Take addresses off the list",
        input=SelectionInput,
        bulk=True,
        output=Deleted,
        success="SuppressionsDeleted_200",
        errors=("NotFound_404",),
        description="A contact that has unsubscribed stays unsubscribed.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        body: Any = request.data
        selection = BulkSelection.parse(body, request.query_params, SUPPRESSION_FIELDS)
        ids = list(selection.apply(Suppression.objects.all()).values_list("pk", flat=True))
        return {"deletedCount": delete_suppressions(ids=ids)}
