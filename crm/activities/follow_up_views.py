"""Endpoints of follow-ups (contract 4.4)."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.activities.follow_up_filters import FOLLOW_UP_FIELDS
from crm.activities.follow_up_serializers import FollowUpCreate, FollowUpOut, FollowUpUpdate
from crm.activities.follow_ups import create_follow_up, delete_follow_up, live_follow_ups, not_found, update_follow_up
from crm.records.serializers import AutomationInput

REFERENCES = ("MemberNotFound_404", "MemberNotAccepted_400", "InvalidInput_400")


class FollowUpViewSet(ResourceViewSet):
    module = "lead-activity"
    listing = Listing(
        "List follow-ups",
        live_follow_ups,
        FOLLOW_UP_FIELDS,
        FollowUpOut,
        description='Those of leads that are not deleted. Open ones past their time are found by filters={"overdue":'
        " true}.",
    )

    @endpoint(
        "Create a follow-up",
        input=FollowUpCreate,
        output=FollowUpOut,
        success="FollowUpCreated_201",
        errors=("LeadNotFound_400", *REFERENCES),
        description="With remindMinutes the assignee gets a mail that long before it is due: once, unless dueAt,"
        " remindMinutes or assignee change; at once when that time has passed already, and none when it is due"
        " already. Emits follow-up.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        follow_up = create_follow_up(actor_id=self.actor.member_id, values=data, automation=automation)
        return FollowUpOut.one(live_follow_ups().filter(pk=follow_up.pk))

    @endpoint("Read a follow-up", output=FollowUpOut, errors=("LeadActivityNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._follow_up_data(id)

    @endpoint(
        "Update a follow-up",
        input=FollowUpUpdate,
        output=FollowUpOut,
        success="FollowUpUpdated_200",
        errors=("LeadActivityNotFound_404", *REFERENCES),
        description="What is not given stays. Any status may follow any other: done stamps doneAt, another one takes"
        " it away. Emits follow-up.completed when it becomes done, and otherwise follow-up.updated when anything is"
        " different.",
    )
    def partial_update(self, request: Request, id: str, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        update_follow_up(id=id, actor_id=self.actor.member_id, values=data, automation=automation)
        return self._follow_up_data(id)

    @endpoint(
        "Delete a follow-up",
        input=AutomationInput,
        success="FollowUpDeleted_200",
        errors=("LeadActivityNotFound_404",),
        description="Nobody is reminded of it any more. The activities that were made from it stay. POST /task/restore"
        " brings it back within 30 days. Emits follow-up.deleted.",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> None:
        delete_follow_up(id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip")

    def _follow_up_data(self, id: str) -> JsonObject:
        follow_up = FollowUpOut.one(live_follow_ups().filter(pk=id))
        if follow_up is None:
            raise not_found()
        return follow_up
