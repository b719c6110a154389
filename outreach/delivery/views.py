"""Endpoints of single messages and the log of messages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat, NamedError
from core.ids import is_id
from outreach.delivery import services
from outreach.delivery.filters import LOG_FIELDS, MESSAGE_FIELDS
from outreach.delivery.models import SendJob
from outreach.delivery.selectors import message_detail, message_log
from outreach.delivery.serializers import Approval, MessageDetail, MessageEdit, MessageOut, SmtpMessageOut

CHANGE_ERRORS = ("NotFound_404", "CampaignCannotBeUpdated_400")


def _messages(asked: ListRequest) -> QuerySet[SendJob]:
    run = asked.params.get("run")
    if run is None:
        return SendJob.objects.all()
    if not is_id(run):
        raise InvalidFormat("run", run, "an id is 24 hex characters")
    return SendJob.objects.filter(run_id=run)


def _detail(message_id: str) -> dict[str, Any]:
    found = MessageDetail.one(SendJob.objects.filter(pk=message_id))
    if found is None:
        raise NamedError(*services.NOT_FOUND)
    return {**found, **message_detail(message_id)}


class MessageViewSet(ResourceViewSet):
    module = "genie"
    lookup_url_kwarg = "sendJobId"
    listing = Listing(
        "List messages",
        _messages,
        MESSAGE_FIELDS,
        MessageOut,
        parameters=(OpenApiParameter("run", str, description="Only the messages of this run."),),
    )

    @endpoint(
        "Read a message",
        output=MessageDetail,
        errors=("NotFound_404",),
        description="Says why it has not gone, and when it will.",
    )
    def retrieve(self, request: Request, sendJobId: str) -> Any:
        return _detail(sendJobId)

    @endpoint("Edit a draft", input=MessageEdit, output=MessageDetail, success="DraftChanged_200", errors=CHANGE_ERRORS)
    def update(self, request: Request, sendJobId: str, data: dict[str, Any]) -> Any:
        services.edit_message(message_id=sendJobId, member_id=self.actor.member_id, **data)
        return _detail(sendJobId)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Approve a draft",
        input=Approval,
        output=MessageOut,
        success="MessageApproved_200",
        errors=(*CHANGE_ERRORS, "MessageChanged_409"),
        description="With contentHash only the words that GET showed are approved.",
    )
    def approve(self, request: Request, sendJobId: str, data: dict[str, Any]) -> Any:
        services.approve_message(message_id=sendJobId, member_id=self.actor.member_id, **data)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Make a draft of an approved message",
        output=MessageOut,
        success="MessageHeld_200",
        errors=CHANGE_ERRORS,
        description="Or of one that a person has cancelled.",
    )
    def draft(self, request: Request, sendJobId: str) -> Any:
        services.hold_message(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a message",
        output=MessageOut,
        success="MessageCancelled_200",
        errors=CHANGE_ERRORS,
        description="It does not go, unless it is made a draft again.",
    )
    def cancel(self, request: Request, sendJobId: str) -> Any:
        services.cancel_message(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))


class SmtpLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing("List the messages that went out by SMTP", message_log, LOG_FIELDS, SmtpMessageOut)
