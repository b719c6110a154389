"""Endpoints of outreach runs (contract 4.5)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.lists import FieldSet, ListField
from outreach.delivery import services as messages
from outreach.delivery.models import SendJob
from outreach.genie import audience
from outreach.genie import services as runs
from outreach.genie import settings as genie_settings
from outreach.genie.models import GenieScheduler
from outreach.genie.selectors import phase
from outreach.genie.serializers import (
    AudienceOut,
    MessageChanged,
    Retry,
    RunCancelled,
    RunCreate,
    RunDetail,
    RunOut,
    Selectors,
    SettingsInput,
    SettingsOut,
)

RUN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("prompt", "text", "prompt", searchable=True, sortable=False, nullable=False),
        ListField("aiType", "text", "ai_type", nullable=False),
        ListField("phase", "text", phase(), nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("draft", "boolean", "draft", nullable=False),
        ListField("total", "number", "total"),
        ListField("processed", "number", "processed", nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "prompt"),
)
AUDIENCE_ERRORS = (
    "ContactNotFound_400",
    "LeadNotFound_400",
    "SegmentNotFound_400",
    "TagNotFound_400",
    "ContactCategoryNotFound_400",
)
ENDED = ("sent", "failed", "unknown", "cancelled", "suppressed")


def _select(data: dict[str, Any]) -> audience.Audience:
    return audience.select(
        **{name: data.pop(name) for name in ("contact_ids", "lead_ids", "segments", "tags", "categories")}
    )


class Runs(ApiView):
    module = "genie"

    @endpoint("List outreach runs", output=RunOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(GenieScheduler.objects.filter(is_deleted=False), RUN_FIELDS, RunOut)


class AudiencePreview(ApiView):
    module = "genie"

    @endpoint(
        "Preview an audience",
        input=Selectors,
        output=AudienceOut,
        errors=AUDIENCE_ERRORS,
        description="How many contacts the selectors select, how many of them can be written to, and why not the others.",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        return audience.preview(_select(data))


class RunsFromContacts(ApiView):
    module = "genie"

    @endpoint(
        "Start a run for existing contacts",
        input=RunCreate,
        output=RunOut,
        success="RunStarted_201",
        takes="genie",
        errors=(
            *AUDIENCE_ERRORS,
            "CampaignAudienceEmpty_400",
            "AiANotAvailableInPlan_400",
            "AiBNotAvailableInPlan_400",
            "InvalidAIType_400",
            "NoSMTPSelected_400",
            "AppNotFound_400",
        ),
        description="A worker plans one message per contact. With draft they wait for approval, otherwise they go at once. "
        "The audience is what the selectors select during planning, without contacts that were made after the run.",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        data["automation"] = data["automation"] == "run"
        selected = _select(data)
        run = runs.start_run(member_id=self.actor.member_id, audience=selected, **data)
        return RunOut.one(GenieScheduler.objects.filter(pk=run.pk))


class RunView(ApiView):
    module = "genie"

    @endpoint("Read a run", output=RunDetail, errors=("CampaignNotFound_404",))
    def get(self, request: Request, schedulerId: str) -> Any:
        run = runs.get_run(schedulerId)
        summary = runs.summary(run.pk)
        ended = sum(summary["counts"][status] for status in ENDED)
        found = RunDetail.one(GenieScheduler.objects.filter(pk=run.pk)) or {}
        return {**found, **summary, "percent": round(100 * ended / run.total, 1) if run.total else 0.0}

    @endpoint(
        "Delete a run",
        output=RunOut,
        success="RunDeleted_200",
        errors=("CampaignNotFound_404",),
        description="Cancels what has not gone, and hides the run; its messages stay in the log.",
    )
    def delete(self, request: Request, schedulerId: str) -> Any:
        runs.delete_run(run_id=schedulerId, member_id=self.actor.member_id)
        return RunOut.one(GenieScheduler.objects.filter(pk=schedulerId))


class RunCancel(ApiView):
    module = "genie"

    @endpoint("Cancel a run", output=RunCancelled, success="RunCancelled_200", errors=("CampaignNotFound_404",))
    def post(self, request: Request, schedulerId: str) -> Any:
        count = runs.cancel_run(run_id=schedulerId, member_id=self.actor.member_id)
        return {**(RunOut.one(GenieScheduler.objects.filter(pk=schedulerId)) or {}), "cancelledCount": count}


RUN_ERRORS = ("CampaignNotFound_404", "CampaignCannotBeUpdated_400")
ONE_OF = "Data is one of the messages that now have the status, and how many were changed; with none of them data holds changedCount alone."


def _changed(run_id: str, status: str, count: int) -> dict[str, Any]:
    found = MessageChanged.one(SendJob.objects.filter(run_id=run_id, status=status)) or {}
    return {**found, "changedCount": count}


class RunApproveAll(ApiView):
    module = "genie"

    @endpoint(
        "Approve a run's drafts",
        output=MessageChanged,
        success="MessagesApproved_200",
        errors=RUN_ERRORS,
        description=ONE_OF,
    )
    def post(self, request: Request, schedulerId: str) -> Any:
        return _changed(
            schedulerId, "approved", messages.approve_all(run_id=schedulerId, member_id=self.actor.member_id)
        )


class RunDraftAll(ApiView):
    module = "genie"

    @endpoint(
        "Make drafts of a run's approved messages",
        output=MessageChanged,
        success="MessagesHeld_200",
        errors=RUN_ERRORS,
        description=ONE_OF,
    )
    def post(self, request: Request, schedulerId: str) -> Any:
        return _changed(schedulerId, "draft", messages.hold_all(run_id=schedulerId, member_id=self.actor.member_id))


class RunRetryFailed(ApiView):
    module = "genie"

    @endpoint(
        "Try a run's failed messages again",
        input=Retry,
        output=MessageChanged,
        success="FailedMessagesApproved_200",
        errors=RUN_ERRORS,
        description=f"With unknown true also those of which nobody knows whether they went. {ONE_OF}",
    )
    def post(self, request: Request, schedulerId: str, data: dict[str, Any]) -> Any:
        count = messages.retry_failed(run_id=schedulerId, member_id=self.actor.member_id, unknown=data["unknown"])
        return _changed(schedulerId, "approved", count)


class GenieSettingsView(ApiView):
    module = "genie"

    @endpoint("Read the sending hours", output=SettingsOut)
    def get(self, request: Request) -> Any:
        return genie_settings.read_settings()

    @endpoint("Change the sending hours", input=SettingsInput, output=SettingsOut, success="SendingHoursChanged_200")
    def put(self, request: Request, data: dict[str, Any]) -> Any:
        genie_settings.change_settings(**data)
        return genie_settings.read_settings()
