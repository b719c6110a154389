"""Endpoints of received mail."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.messaging.inbox.filters import INBOX_FIELDS
from outreach.messaging.inbox.models import InboundMessage
from outreach.messaging.inbox.serializers import InboundChange, InboundDetail, InboundOut
from outreach.messaging.inbox.services import delete_mail, mark, not_found


class InboxViewSet(ResourceViewSet):
    module = "genie"
    listing = Listing(
        "List received mail",
        InboundMessage.objects.all,
        INBOX_FIELDS,
        InboundOut,
        description="What the connected mailboxes (/apps/imap) have received that belongs to a message or a meeting of"
        " the company: replies, bounces, complaints, absence notices, answers to invitations.",
    )

    @endpoint("Read a received mail", output=InboundDetail, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._mail_data(id)

    @endpoint(
        "Mark a received mail as read or unread",
        input=InboundChange,
        output=InboundDetail,
        success="InboundMailMarked_200",
        errors=("NotFound_404",),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        mark(id=id, is_read=data["is_read"])
        return self._mail_data(id)

    @endpoint(
        "Delete received mail",
        input=SelectionInput,
        output=Deleted,
        bulk=True,
        success="InboundMailDeleted_200",
        errors=("NotFound_404",),
        description="From the inbox here, not from the mailbox. What it has done stays done: a reply has stopped what"
        " it stopped.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        ids = list(self.selection().apply(InboundMessage.objects.all()).values_list("pk", flat=True))
        return {"deletedCount": delete_mail(ids=ids)}

    def _mail_data(self, id: str) -> JsonObject:
        mail = InboundDetail.one(InboundMessage.objects.filter(pk=id))
        if mail is None:
            raise not_found()
        return mail
