"""Endpoints of outreach runs (contract 4.5)."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.envelope import QUEUED, respond
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from outreach.delivery.models import SendJob
from outreach.delivery.serializers import MessageChanged
from outreach.genie import audience, messages, services
from outreach.genie.filters import RUN_FIELDS
from outreach.genie.message_jobs import AT_ONCE, Changed
from outreach.genie.models import GenieScheduler
from outreach.genie.selectors import kept_runs, run_detail
from outreach.genie.serializers import AudienceOut, Retry, RunCancelled, RunCreate, RunDetail, RunOut, Selectors

AUDIENCE_ERRORS = (
    "ContactNotFound_400",
    "LeadNotFound_400",
    "SegmentNotFound_400",
    "TagNotFound_400",
    "ContactCategoryNotFound_400",
)
MESSAGE_ERRORS = ("CampaignNotFound_404", "CampaignCannotBeUpdated_400")
ONE_OF = (
    "Data is one of the messages that now have the status, and how many were changed; with none of them data holds"
    " changedCount alone."
)
MANY = (
    f" For more than {AT_ONCE:,} messages a worker does it: the count is null, and bulkJob beside data is the job (GET"
    " /bulk-job/:id). A later change of all messages of the run replaces a job that is still at work."
)


def _select(data: dict[str, Any]) -> audience.Audience:
    return audience.select(
        **{name: data.pop(name) for name in ("contact_ids", "lead_ids", "segments", "tags", "categories")}
    )


def _one(run_id: str) -> dict[str, Any]:
    return RunOut.one(GenieScheduler.objects.filter(pk=run_id)) or {}


def _changed(run_id: str, status: str, changed: Changed) -> Any:
    found = MessageChanged.one(SendJob.objects.filter(run_id=run_id, status=status)) or {}
    data = {**found, "changedCount": changed.count}
    return data if changed.job is None else respond(QUEUED, data, bulkJob=changed.job)


def _beside(changed: Changed) -> dict[str, str]:
    return {} if changed.job is None else {"bulkJob": changed.job}


class RunViewSet(ResourceViewSet):
    module = "genie"
    lookup_url_kwarg = "schedulerId"
    listing = Listing("List outreach runs", kept_runs, RUN_FIELDS, RunOut)

    @action(detail=False, methods=["post"], url_path="audience-preview")
    @endpoint(
        "Preview an audience",
        input=Selectors,
        output=AudienceOut,
        errors=AUDIENCE_ERRORS,
        description="How many contacts the selectors select, how many of them can be written to, and why not the"
        " others. By session the sample takes contact.GET; without it, it is empty and `warning` says so.",
    )
    def audience_preview(self, request: Request, data: dict[str, Any]) -> Any:
        seen = self.actor.is_unbounded or self.actor.may("contact", "GET")
        warning = {} if seen else {"warning": "sample: your role lacks the permission contact.GET"}
        return self.success(audience.preview(_select(data), sample=seen), **warning)

    @action(detail=False, methods=["post"], url_path="from-contacts")
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
        description="A worker plans one message per contact. With draft they wait for approval, otherwise they go at"
        " once. The audience is what the selectors select during planning, without contacts that were made after the"
        " run.",
    )
    def from_contacts(self, request: Request, data: dict[str, Any]) -> Any:
        data["automation"] = data["automation"] == "run"
        selected = _select(data)
        return _one(services.start_run(member_id=self.actor.member_id, audience=selected, **data).pk)

    @endpoint("Read a run", output=RunDetail, errors=("CampaignNotFound_404",))
    def retrieve(self, request: Request, schedulerId: str) -> Any:
        run = services.get_run(schedulerId)
        found = RunDetail.one(GenieScheduler.objects.filter(pk=run.pk)) or {}
        return {**found, **run_detail(run)}

    @endpoint(
        "Delete a run",
        output=RunOut,
        success="RunDeleted_200",
        errors=("CampaignNotFound_404",),
        queues=True,
        description="Cancels what has not gone, and hides the run; its messages stay in the log." + MANY,
    )
    def destroy(self, request: Request, schedulerId: str) -> Any:
        cancelled = services.delete_run(run_id=schedulerId, member_id=self.actor.member_id)
        return self.success(_one(schedulerId), **_beside(cancelled))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a run",
        output=RunCancelled,
        success="RunCancelled_200",
        errors=("CampaignNotFound_404",),
        queues=True,
        description="Nothing goes from now on." + MANY,
    )
    def cancel(self, request: Request, schedulerId: str) -> Any:
        cancelled = services.cancel_run(run_id=schedulerId, member_id=self.actor.member_id)
        return self.success({**_one(schedulerId), "cancelledCount": cancelled.count}, **_beside(cancelled))

    @action(detail=True, methods=["post"], url_path="approve-all")
    @endpoint(
        "Approve a run's drafts",
        output=MessageChanged,
        success="MessagesApproved_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description=ONE_OF + MANY,
    )
    def approve_all(self, request: Request, schedulerId: str) -> Any:
        changed = messages.approve_all(run_id=schedulerId, member_id=self.actor.member_id)
        return _changed(schedulerId, "approved", changed)

    @action(detail=True, methods=["post"], url_path="draft-all")
    @endpoint(
        "Make drafts of a run's approved messages",
        output=MessageChanged,
        success="MessagesHeld_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description=ONE_OF + MANY,
    )
    def draft_all(self, request: Request, schedulerId: str) -> Any:
        changed = messages.hold_all(run_id=schedulerId, member_id=self.actor.member_id)
        return _changed(schedulerId, "draft", changed)

    @action(detail=True, methods=["post"], url_path="retry-failed")
    @endpoint(
        "Try a run's failed messages again",
        input=Retry,
        output=MessageChanged,
        success="FailedMessagesApproved_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description=f"With unknown true also those of which nobody knows whether they went. {ONE_OF}{MANY}",
    )
    def retry_failed(self, request: Request, schedulerId: str, data: dict[str, Any]) -> Any:
        changed = messages.retry_failed(run_id=schedulerId, member_id=self.actor.member_id, unknown=data["unknown"])
        return _changed(schedulerId, "approved", changed)
