"""Endpoints of canned answers."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.chat.conversations.canned_answers import services
from outreach.chat.conversations.channels import MODULES
from outreach.chat.conversations.filters import CANNED_FIELDS
from outreach.chat.conversations.models import CannedAnswer
from outreach.chat.conversations.serializers import CannedChange, CannedDelete, CannedInput, CannedOut
from outreach.chat.conversations.services import MODULE

NOT_FOUND = (services.NOT_FOUND,)


def _canned_answer_data(id: str) -> JsonObject:
    canned_answer = CannedOut.one(CannedAnswer.objects.filter(pk=id))
    if canned_answer is None:
        raise services.not_found()
    return canned_answer


class CannedAnswerViewSet(ResourceViewSet):
    module = MODULE
    alternate_modules = MODULES[1:]
    listing = Listing("List canned answers", CannedAnswer.objects.all, CANNED_FIELDS, CannedOut)

    @endpoint(
        "Write a canned answer",
        description="Words that members insert into answers, by name or shortcut.",
        input=CannedInput,
        output=CannedOut,
        success="CannedAnswerCreated_201",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _canned_answer_data(services.create(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a canned answer", output=CannedOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _canned_answer_data(id)

    @endpoint(
        "Update a canned answer",
        input=CannedChange,
        output=CannedOut,
        success="CannedAnswerUpdated_200",
        errors=NOT_FOUND,
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update(id=id, member_id=self.actor.member_id, **data)
        return _canned_answer_data(id)

    @endpoint(
        "Delete canned answers",
        input=CannedDelete,
        output=Deleted,
        bulk=True,
        success="CannedAnswersDeleted_200",
        errors=NOT_FOUND,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete(selection=self.selection())}
