"""Endpoints of call logs (contract 4.4). Call logs are activities of leads and share the permission module
lead-activity."""

from __future__ import annotations

from functools import partial

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.input import read
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.activities.call_filters import CALL_FIELDS
from crm.activities.call_serializers import CallBulkCreate, CallBulkOut, CallDelete, CallOut, CallValues, CallWrite
from crm.activities.calls import create_call, create_calls, delete_calls, not_found, update_call
from crm.activities.models import CallLog
from crm.records.views import bulk_answer

ERRORS = ("LeadNotFound_400", "ContactNotFound_400", "MemberNotFound_404", "InvalidInput_400")


class CallLogViewSet(ResourceViewSet):
    module = "lead-activity"
    listing = Listing("List call logs", CallLog.objects.all, CALL_FIELDS, CallOut, description="The last call first.")

    @endpoint(
        "Log a call",
        input=CallWrite,
        output=CallOut,
        success="CallLogCreated_201",
        errors=ERRORS,
        description="The call was with the lead (and its contact) or the contact that is named, or else with the one"
        " contact that has the number; when none or several have it, that is refused. Emits calllog.created, which"
        " makes an activity of kind call.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        return one_call(create_call(actor_id=self.actor.member_id, values=data, automation=automation))

    @endpoint(
        "Delete call logs",
        input=CallDelete,
        output=Deleted,
        bulk=True,
        success="CallLogsDeleted_200",
        errors=("CallLogNotFound_400",),
        description="The activities that were made from them stay. Emits calllog.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_calls(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return {"deletedCount": deleted}

    @endpoint("Read a call log", output=CallOut, errors=("CallLogNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return one_call(id)

    @endpoint(
        "Update a call log",
        input=CallWrite,
        output=CallOut,
        success="CallLogUpdated_200",
        errors=("CallLogNotFound_400", *ERRORS),
        description="What is not given stays. A lead brings its contact with it, another contact takes the lead away,"
        " and null takes lead, contact or member away; where neither lead nor contact is left, the call is with the"
        " contact that has the number. Emits calllog.updated when anything is different.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        return one_call(update_call(id=id, actor_id=self.actor.member_id, values=data, automation=automation))

    @action(detail=False, methods=["post"])
    @endpoint(
        "Log up to 500 calls",
        input=CallBulkCreate,
        output=CallBulkOut,
        success="CallLogsProcessed_200",
        errors=("InvalidPayload_400", *ERRORS),
        description="As POST /calllog, each item on its own unless skipInvalid is false; the answer is 200 either way:"
        " items that became no call log are in `failed`, and what stood in their way in `errors`.",
    )
    def bulk(self, request: Request, data: JsonObject) -> object:
        result = create_calls(
            actor_id=self.actor.member_id,
            items=data["form_data"],
            read=partial(read, CallValues),
            all_or_none=data["skip_invalid"] is False,
            automation=data["automation"] != "skip",
        )
        answer = bulk_answer(result, CallLog.objects.all(), CallOut)
        return {name: answer[name] for name in ("created", "failed", "errors")}


def one_call(id: str) -> JsonObject:
    """Return the call log as the API shows it. Raises CallLogNotFound_400."""
    call = CallOut.one(CallLog.objects.filter(pk=id))
    if call is None:
        raise not_found()
    return call
