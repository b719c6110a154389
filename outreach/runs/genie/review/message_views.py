"""Endpoints of the messages of runs (contract 4.5)."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.types import JsonObject
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.serializers import MessageOut, Regeneration
from outreach.messaging.delivery.views import CHANGE_ERRORS, MessageViewSet
from outreach.runs.genie.review.rewrites import regenerate
from outreach.runs.genie.views import APP_ERRORS


class SendJobViewSet(MessageViewSet):
    """Messages of runs."""

    module = "genie"

    @action(detail=True, methods=["post"])
    @endpoint(
        "Write a draft anew",
        input=Regeneration,
        output=MessageOut,
        success="MessageWrittenAnew_200",
        errors=(*CHANGE_ERRORS, "MessageChanged_409", *APP_ERRORS),
        description="Its run's AI app writes it once more, told the draft so far and the hint; a worker does so, within"
        " the same caps as any call. Until then it is planned (written_anew) with the words that it has; then it is a"
        " draft again, with other words, or with the old ones and `error`. Asked for the same again meanwhile, nothing"
        " more happens. A message whose words could not be made is taken too; a draft that a template made is refused."
        " The offline composer has rules for some hints; `warning` names what it can do nothing about.",
    )
    def regenerate(self, request: Request, sendJobId: str, data: JsonObject) -> object:
        unfollowed = regenerate(message_id=sendJobId, member_id=self.actor.member_id, **data)
        message = MessageOut.one(SendJob.objects.filter(pk=sendJobId))
        if not unfollowed:
            return self.success(message)
        self.page_notes = {"warnings": ["hintIgnored"]}
        return self.success(message, warning=unfollowed)
