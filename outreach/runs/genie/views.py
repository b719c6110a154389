"""Endpoints of outreach runs (contract 4.5)."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.envelope import QUEUED, respond
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.contacts.rights import ContactRights, check_reads_contacts
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.serializers import MailAppSnapshot
from outreach.connections.senders.models import Sender, Smtp
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.serializers import MessageChanged, MessageOut, MessagesApproved
from outreach.runs.genie import audience, services
from outreach.runs.genie.cadence import occurrences
from outreach.runs.genie.channels import senders_among
from outreach.runs.genie.filters import RUN_FIELDS
from outreach.runs.genie.generated.runs import start_generated_run
from outreach.runs.genie.generated.serializers import GeneratedRunCreate, SearchPreview, SearchPreviewOut
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review import approval, messages
from outreach.runs.genie.review.message_jobs import MAX_DIRECT_CHANGES, Changed
from outreach.runs.genie.review.serializers import ApprovalSample, BatchApproval, BatchHold, Retry
from outreach.runs.genie.review.warnings import LEFT, left_warning
from outreach.runs.genie.selectors import kept_runs, run_detail
from outreach.runs.genie.serializers import (
    AudienceOut,
    DraftPreview,
    DraftPreviewOut,
    RunCancelled,
    RunChange,
    RunCreate,
    RunDetail,
    RunOut,
    Selectors,
)
from outreach.runs.genie.writing.samples import preview_run, preview_search

AUDIENCE_ERRORS = (
    "ContactNotFound_400",
    "LeadNotFound_400",
    "SegmentNotFound_400",
    "TagNotFound_400",
    "ContactCategoryNotFound_400",
)
APP_ERRORS = (
    "AiANotAvailableInPlan_400",
    "AiBNotAvailableInPlan_400",
    "NoDefaultAiAConfiguration_400",
    "NoDefaultAiBConfiguration_400",
    "InvalidAIType_400",
)
"""Errors that keep a run's AI app from writing."""
RUN_APP_ERRORS = (*APP_ERRORS, "NoSMTPSelected_400")
MODEL_ERRORS = (
    "ConnectionTestRunning_429",
    "AIUsageLimitReached_429",
    "AIModelBusy_429",
    "AIResponseParsingFailed_500",
    "InvalidAiAConfiguration_400",
    "InvalidAiBConfiguration_400",
    "NoAiAConfigurationFound_400",
    "AiBConfigurationNotFound_400",
)
"""Errors of an AI app that calls a model."""
MESSAGE_ERRORS = ("CampaignNotFound_404", "CampaignCannotBeUpdated_400")
ONE_OF = (
    "Data is one of the messages that now have the status, and how many were changed; with none of them data holds"
    " changedCount alone."
)
MANY = (
    f" For more than {MAX_DIRECT_CHANGES:,} messages a worker does it: the count is null, and bulkJob beside data"
    " is the job (GET /bulk-job/:id). A later change of all messages of the run replaces a job that is still at work."
)


def _select(data: JsonObject) -> audience.Audience:
    return audience.select(
        **{name: data.pop(name) for name in ("contact_ids", "lead_ids", "segments", "tags", "categories")}
    )


def _unused_warning(data: JsonObject) -> dict[str, str]:
    """Return the warning about values that were given and don't count without their switch."""
    switches = {
        "customWhitelistedDomains": data["whitelisted_custom"] or not data["custom_whitelisted_domains"],
        "customChannels": data["custom_channel_selection"] or not data["custom_channels"],
    }
    unused = [name for name, counts in switches.items() if not counts]
    return {"warning": f"{', '.join(unused)}: not used, since the switch beside is false"} if unused else {}


def _sender_of(sender: Sender | None) -> JsonObject:
    """Return the sender of a preview as answers show it."""
    snapshots: JsonObject = {"smtp": None, "mailApp": None}
    if isinstance(sender, MailApp):
        snapshots["mailApp"] = MailAppSnapshot.one(MailApp.objects.filter(pk=sender.pk))
    elif sender is not None:
        snapshots["smtp"] = SmtpSnapshot.one(Smtp.objects.filter(pk=sender.pk))
    return snapshots


def _run_data(run_id: str) -> JsonObject:
    return RunOut.one(GenieScheduler.objects.filter(pk=run_id)) or {}


def _change_data(run_id: str, status: str, changed: Changed, **more: Any) -> JsonObject:
    message = MessageChanged.one(SendJob.objects.filter(run_id=run_id, status=status)) or {}
    return {**message, "changedCount": changed.count, **more}


def _beside(changed: Changed) -> dict[str, str]:
    return {} if changed.job is None else {"bulkJob": changed.job}


class RunViewSet(ResourceViewSet):
    module = "genie"
    lookup_url_kwarg = "schedulerId"
    listing = Listing("List outreach runs", kept_runs, RUN_FIELDS, RunOut)

    @endpoint(
        "Start a run that finds its recipients",
        input=GeneratedRunCreate,
        output=RunOut,
        success="RunStarted_201",
        quota_module="genie",
        errors=(
            "PromptRequired_400",
            "MaximumLeadsExceeded_400",
            "QueueLimitExceeded_400",
            *RUN_APP_ERRORS,
            "AppNotFound_400",
            "InvalidPayload_400",
            "EmailTemplateNotFound_404",
            "FileNotFound_400",
        ),
        description="A worker searches as POST /lead/lead-gen-ai does, among the company's contacts without a lead and"
        " in its lead sources; the leads that it makes are the audience, and one message is planned for each. The"
        " search counts against the limits of genie and lead-gen-ai. When nobody is found, the run fails and `error`"
        " says so. By session, lead sources are asked for who has contact.POST.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        data["automation"] = data["automation"] == "run"
        rights = ContactRights.of(self.actor)
        run = start_generated_run(member_id=self.actor.member_id, new_contacts=rights.create, **data)
        return self.success(_run_data(run.pk), **_unused_warning(data))

    @action(detail=False, methods=["post"], url_path="search-preview")
    @endpoint(
        "Preview the cost of a run that finds its recipients",
        input=SearchPreview,
        output=SearchPreviewOut,
        errors=(*RUN_APP_ERRORS, "AppNotFound_400"),
        description="What a run would make and of whom, the time, and the price of judging and of the messages, if as"
        " many are found as are wanted. Nobody is looked for, and no model is called.",
    )
    def search_preview(self, request: Request, data: JsonObject) -> object:
        chosen, channels = data.pop("custom_channel_selection"), data.pop("custom_channels")
        rights, seen = ContactRights.of(self.actor), self.actor.is_unbounded or self.actor.may("contact", "GET")
        among = senders_among(chosen, channels)
        preview = preview_search(**data, among=among, own_contacts=seen, new_contacts=rights.create)
        preview.update(_sender_of(preview.pop("sender")))
        return self.success(preview)

    @action(detail=False, methods=["post"], url_path="audience-preview")
    @endpoint(
        "Preview an audience",
        input=Selectors,
        output=AudienceOut,
        errors=(*AUDIENCE_ERRORS, "UnauthorizedAction_403"),
        description="How many contacts the selectors select, how many of them can be written to, and why not the"
        " others. By session it takes contact.GET.",
    )
    def audience_preview(self, request: Request, data: JsonObject) -> object:
        check_reads_contacts(self.actor)
        return audience.preview(_select(data))

    @action(detail=False, methods=["post"], url_path="draft-preview")
    @endpoint(
        "Preview a run",
        input=DraftPreview,
        output=DraftPreviewOut,
        errors=(*AUDIENCE_ERRORS, *RUN_APP_ERRORS, *MODEL_ERRORS, "UnauthorizedAction_403"),
        description="Drafts for up to three of the recipients, as a run would write them, how many it would reach,"
        " how long it would take and what it would cost. Nothing is stored; the calls of a model count. By session it"
        " takes contact.GET.",
    )
    def draft_preview(self, request: Request, data: JsonObject) -> object:
        check_reads_contacts(self.actor)
        preview = preview_run(_select(data), **data)
        preview.update(_sender_of(preview.pop("sender")))
        return preview

    @action(detail=False, methods=["post"], url_path="from-contacts")
    @endpoint(
        "Start a run for existing contacts",
        input=RunCreate,
        output=RunOut,
        success="RunStarted_201",
        quota_module="genie",
        errors=(
            *AUDIENCE_ERRORS,
            "CampaignAudienceEmpty_400",
            "QueueLimitExceeded_400",
            *RUN_APP_ERRORS,
            "AppNotFound_400",
            "InvalidPayload_400",
            "EmailTemplateNotFound_404",
            "FileNotFound_400",
        ),
        description="A worker plans one message per contact. With draft they wait for approval, otherwise they go at"
        " once. The audience is what the selectors select during planning, without contacts that were made after the"
        " run. outreachCadence adds follow-ups, recurring further occurrences.",
    )
    def from_contacts(self, request: Request, data: JsonObject) -> object:
        data["automation"] = data["automation"] == "run"
        selected = _select(data)
        return _run_data(services.start_run(member_id=self.actor.member_id, audience=selected, **data).pk)

    @endpoint("Read a run", output=RunDetail, errors=("CampaignNotFound_404",))
    def retrieve(self, request: Request, schedulerId: str) -> object:
        run = services.get_run(schedulerId)
        detail = RunDetail.one(GenieScheduler.objects.filter(pk=run.pk)) or {}
        return {**detail, **run_detail(run)}

    @endpoint(
        "Change a run's caps",
        input=RunChange,
        output=RunOut,
        success="RunChanged_200",
        errors=("CampaignNotFound_404",),
        description="Messages that wait because of a cap are written then.",
    )
    def update(self, request: Request, schedulerId: str, data: JsonObject) -> object:
        services.change_run(run_id=schedulerId, member_id=self.actor.member_id, **data)
        return _run_data(schedulerId)

    @endpoint(
        "Delete a run",
        output=RunOut,
        success="RunDeleted_200",
        errors=("CampaignNotFound_404",),
        queues=True,
        description="Cancels what has not gone, and hides the run; its messages stay in the log." + MANY,
    )
    def destroy(self, request: Request, schedulerId: str) -> object:
        cancelled = services.delete_run(run_id=schedulerId, member_id=self.actor.member_id)
        return self.success(_run_data(schedulerId), **_beside(cancelled))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a run",
        output=RunCancelled,
        success="RunCancelled_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description="Nothing goes from now on. A run of which nothing waits is refused." + MANY,
        transition=True,
    )
    def cancel(self, request: Request, schedulerId: str) -> object:
        cancelled = services.cancel_unfinished_run(run_id=schedulerId, member_id=self.actor.member_id)
        return self.success({**_run_data(schedulerId), "cancelledCount": cancelled.count}, **_beside(cancelled))

    @action(detail=True, url_path="approval-sample")
    @endpoint(
        "Look at some of a run's drafts before all are approved",
        output=ApprovalSample,
        errors=("CampaignNotFound_404",),
        description="What approve-all would approve now, with some of it to read. With its contentHash approve-all"
        " approves exactly that.",
    )
    def approval_sample(self, request: Request, schedulerId: str) -> object:
        summary, rows = approval.approval_sample(schedulerId)
        return {**summary, "sample": MessageOut.complete([MessageOut.render(row) for row in MessageOut.project(rows)])}

    @action(detail=True, methods=["post"], url_path="stop-recurring")
    @endpoint(
        "Stop a recurring run",
        output=RunOut,
        success="RecurringStopped_200",
        errors=MESSAGE_ERRORS,
        description="No further occurrence begins; the messages that there are go on.",
        transition=True,
    )
    def stop_recurring(self, request: Request, schedulerId: str) -> object:
        occurrences.stop_recurring(run_id=schedulerId, member_id=self.actor.member_id)
        return _run_data(schedulerId)

    @action(detail=True, methods=["post"], url_path="resume-recurring")
    @endpoint(
        "Resume a recurring run",
        output=RunOut,
        success="RecurringResumed_200",
        errors=MESSAGE_ERRORS,
        description="The next occurrence begins at the next time of the schedule; what was missed is not made up.",
        transition=True,
    )
    def resume_recurring(self, request: Request, schedulerId: str) -> object:
        occurrences.resume_recurring(run_id=schedulerId, member_id=self.actor.member_id)
        return _run_data(schedulerId)

    @action(detail=True, methods=["post"], url_path="approve-all")
    @endpoint(
        "Approve a run's drafts",
        input=BatchApproval,
        output=MessagesApproved,
        success="MessagesApproved_200",
        errors=(*MESSAGE_ERRORS, "MessageChanged_409"),
        queues=True,
        description=LEFT + "With contentHash exactly the drafts are approved that GET …/approval-sample told of; sent"
        " once more, it approves nothing more. Those that have come or changed since stay drafts (newerCount); if one"
        " of the sample's own was changed or decided meanwhile, nothing is approved. " + ONE_OF + MANY,
        transition=True,
    )
    def approve_all(self, request: Request, schedulerId: str, data: JsonObject) -> object:
        member = self.actor.member_id
        seen = data.get("content_hash")
        delay = data["delay_seconds"]
        newer = 0
        if seen is None:
            left = messages.count_left_drafts(schedulerId)
            changed = messages.approve_all(run_id=schedulerId, member_id=member, delay_seconds=delay)
        else:
            left = messages.count_left_drafts(schedulerId, approval.SampleState.read(seen).until)
            changed = approval.approve_seen(
                run_id=schedulerId, member_id=member, content_hash=seen, delay_seconds=delay
            )
            newer = approval.newer_drafts(schedulerId, seen)
        response = _change_data(schedulerId, "approved", changed, **left.as_json(), newerCount=newer)
        return self.answer(response, changed, **left_warning(left, newer))

    @action(detail=True, methods=["post"], url_path="draft-all")
    @endpoint(
        "Make drafts of a run's approved messages",
        input=BatchHold,
        output=MessageChanged,
        success="MessagesHeld_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description="With approvedSince an approval of all is taken back; what has gone meanwhile stays gone. "
        + ONE_OF
        + MANY,
        transition=True,
    )
    def draft_all(self, request: Request, schedulerId: str, data: JsonObject) -> object:
        changed = messages.hold_all(run_id=schedulerId, member_id=self.actor.member_id, **data)
        return self.answer(_change_data(schedulerId, "draft", changed), changed)

    @action(detail=True, methods=["post"], url_path="retry-failed")
    @endpoint(
        "Try a run's failed messages again",
        input=Retry,
        output=MessageChanged,
        success="FailedMessagesApproved_200",
        errors=MESSAGE_ERRORS,
        queues=True,
        description="With unknown true also those of which nobody knows whether they went. Those whose words could not"
        f" be made are written anew, and count as changed. {ONE_OF}{MANY}",
        transition=True,
    )
    def retry_failed(self, request: Request, schedulerId: str, data: JsonObject) -> object:
        changed = messages.retry_failed(run_id=schedulerId, member_id=self.actor.member_id, unknown=data["unknown"])
        return self.answer(_change_data(schedulerId, "approved", changed), changed)

    def answer(self, data: JsonObject, changed: Changed, **beside: Any) -> Any:
        """Return the response with the changes, or with the job that applies them."""
        if changed.job is None:
            return self.success(data, **beside)
        return respond(QUEUED, data, bulkJob=changed.job, **beside)
