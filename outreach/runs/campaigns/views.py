"""Endpoints of campaigns."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.envelope import QUEUED, respond
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.types import JsonObject
from crm.contacts.rights import check_reads_contacts
from outreach.connections.mail_vendors.registry import LETTERS
from outreach.connections.mail_vendors.services import not_found, nothing_selected
from outreach.messaging.delivery.attachments import list_files
from outreach.messaging.delivery.filters import MESSAGE_FIELDS
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.serializers import MessageOut
from outreach.messaging.delivery.services import count_skipped
from outreach.messaging.email_templates.views import CONTACT, asked_contact, shown_mail
from outreach.runs.campaigns import control, launch, services
from outreach.runs.campaigns.filters import CAMPAIGN_FIELDS
from outreach.runs.campaigns.models import CHAT, Campaign
from outreach.runs.campaigns.previews import preview_campaign
from outreach.runs.campaigns.selectors import campaign_detail, choices_for, kept_campaigns
from outreach.runs.campaigns.serializers import (
    CampaignCancelled,
    CampaignChoices,
    CampaignCreate,
    CampaignDelete,
    CampaignDetail,
    CampaignOut,
    CampaignPreview,
    CampaignSelectors,
    CampaignUpdate,
    Release,
    Released,
    WinnerChoice,
)
from outreach.runs.campaigns.winners import choose_winner
from outreach.runs.genie import audience
from outreach.runs.genie.review.message_jobs import MAX_DIRECT_CHANGES, Changed
from outreach.runs.genie.serializers import AudienceOut

NOT_FOUND = (services.NOT_FOUND,)
STATE = (*NOT_FOUND, "CampaignCannotBeUpdated_400")
PEOPLE = (
    "ContactNotFound_400",
    "LeadNotFound_400",
    "CampaignSegmentNotFound_400",
    "TagNotFound_400",
    "ContactCategoryNotFound_400",
)
APPS_NOT_FOUND = tuple(not_found(letter).name for letter in LETTERS)
NO_APP = tuple(dict.fromkeys(nothing_selected(letter).name for letter in LETTERS))
WORDS = (
    *("EmailTemplateNotFound_404", "InvalidVariables_400", "InvalidEmailTemplate_400", "FileNotFound_400"),
    *("ChatAppTemplateNotFound_404", "InvalidChatAppTemplate_400"),
)
REFUSED = (
    *(services.TAKEN, "InvalidCampaignType_400", "InvalidPayload_400"),
    *("CampaignSMTPNotBelongToCompany_400", *APPS_NOT_FOUND, *WORDS, *PEOPLE),
)
NOT_READY = (
    *("CampaignFailedManyTime_400", "CampaignSMTPRequired_400", "CampaignSMTPNotFound_400", *NO_APP, *APPS_NOT_FOUND),
    *("CampaignTemplateRequired_400", *WORDS, "CampaignSegmentsRequired_400", "CampaignAudienceEmpty_400"),
)
VARIANT = OpenApiParameter("variant", int, description="Which variant's words, from 0, which is the default.")
STEP = OpenApiParameter("step", int, description="1, the default, is the first message, 2 the first follow-up.")
CLICKS = OpenApiParameter("clicks", bool, description="true: with the number of people behind each link.")
MANY = f" For more than {MAX_DIRECT_CHANGES:,} messages a background job does it, and `bulkJob` stands beside data."


def _campaign_data(id: str, output: type[CampaignDetail] = CampaignDetail) -> JsonObject:
    campaign = services.get_campaign(id)
    row = output.one(Campaign.objects.filter(pk=campaign.pk)) or {}
    return {**row, **campaign_detail(campaign)}


def whole_number(request: Request, name: str, default: int) -> int:
    """Return a number of the query. Raises InvalidFormat for an invalid number."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isdecimal() and text.isascii() and len(text) < 4):
        raise InvalidFormat(name, text, "it is a whole number")
    return int(text)


def _flag(request: Request, name: str) -> bool:
    """Return a switch of the query. Raises InvalidFormat for another value than true and false."""
    text = request.query_params.get(name, "false")
    if text not in ("true", "false"):
        raise InvalidFormat(name, text, "it is true or false")
    return text == "true"


def _messages(request: ListRequest) -> QuerySet[SendJob]:
    campaign = services.get_campaign(request.path["id"])
    return SendJob.objects.filter(run__of_campaign=campaign)


class CampaignViewSet(ResourceViewSet):
    module = services.MODULE
    nothing_selected = "NoCampaignSelected_400"
    listing = Listing("List campaigns", kept_campaigns, CAMPAIGN_FIELDS, CampaignOut)

    @endpoint(
        "Create a campaign",
        input=CampaignCreate,
        output=CampaignDetail,
        success="CampaignCreated_201",
        errors=REFUSED,
        quota_module=services.MODULE,
        description="A draft, of which only the name is needed; the rest can be given until it starts.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _campaign_data(services.create_campaign(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a campaign", output=CampaignDetail, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _campaign_data(id)

    @endpoint(
        "Update a campaign",
        input=CampaignUpdate,
        output=CampaignDetail,
        success="CampaignUpdated_200",
        errors=(*STATE, *REFUSED, *NOT_READY),
        description="A draft, a scheduled one, or one that could not begin. Of a paused one name, throttle and endsAt"
        " change. A scheduled one stays scheduled, and has to be fit to begin; without scheduledAt it is a draft"
        " again.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_campaign(id=id, member_id=self.actor.member_id, **data)
        return _campaign_data(id)

    @endpoint(
        "Delete campaigns",
        input=CampaignDelete,
        output=Deleted,
        bulk=True,
        success="CampaignsDeleted_200",
        errors=("NoCampaignSelected_400", "CampaignCannotBeUpdated_400"),
        description="Their messages stay in the log. One that is under way is cancelled first.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = services.delete_campaigns(member_id=self.actor.member_id, selection=self.selection())
        return {"deletedCount": deleted}

    @action(detail=False, url_path="choices")
    @endpoint(
        "Read what a campaign can be made of",
        output=CampaignChoices,
        description="The first 200 senders that work, templates, segments of contacts, tags and categories by name."
        " By session those of which the role has the permission apps, template, segment, tag or contact-category;"
        " the others are null.",
    )
    def choices(self, request: Request) -> object:
        actor = self.actor
        return choices_for(lambda module: actor.is_unbounded or actor.may(module, "GET"))

    @action(detail=True, url_path="preview")
    @endpoint(
        "Preview the mail of a campaign",
        output=CampaignPreview,
        errors=(*NOT_FOUND, "CampaignTemplateRequired_400", *WORDS, "ContactNotFound_400", "UnauthorizedAction_403"),
        parameters=(CONTACT, VARIANT, STEP, CLICKS),
        description="As it goes out, with a sample in the place of the link to unsubscribe, which is each recipient's"
        " own. By session a contact takes contact.GET.",
    )
    def preview(self, request: Request, id: str) -> object:
        places = {
            parameter.name: whole_number(request, parameter.name, start)
            for parameter, start in ((VARIANT, 0), (STEP, 1))
        }
        clicks = _flag(request, CLICKS.name)
        mail, files = preview_campaign(id=id, contact_id=asked_contact(self), clicks=clicks, **places)
        return {**shown_mail(mail, (), list_files(files)), "chat": mail.chat}

    @action(detail=False, methods=["post"], url_path="audience-preview")
    @endpoint(
        "Preview the audience of a campaign",
        input=CampaignSelectors,
        output=AudienceOut,
        errors=(*PEOPLE, "InvalidCampaignType_400", "UnauthorizedAction_403"),
        description="How many contacts the selectors select, how many of them can be written to, and why not the"
        " others. By session it takes contact.GET.",
    )
    def audience_preview(self, request: Request, data: JsonObject) -> object:
        check_reads_contacts(self.actor)
        chosen = services.select_audience({new: data[old] for old, new in services.SELECTORS.items()})
        services.check_type(data["type"])
        return audience.preview(audience.Audience.from_json(chosen), by_chat=data["type"] == CHAT)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Start a campaign",
        output=CampaignDetail,
        success="CampaignStarted_200",
        errors=(*STATE, *NOT_READY, "QueueLimitExceeded_400"),
        description="At once, or at scheduledAt if that lies ahead: then it is scheduled. A template's words are those"
        " that it has when the campaign begins. It goes to those of the audience whom a worker finds then; to those who"
        " join it later only if the audience is live, or it recurs.",
        transition=True,
    )
    def start(self, request: Request, id: str) -> object:
        launch.start_campaign(id=id, member_id=self.actor.member_id)
        return _campaign_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Pause a campaign",
        output=CampaignDetail,
        success="CampaignPaused_200",
        errors=STATE,
        description="No message goes out until it is resumed, except one that a server has already.",
        transition=True,
    )
    def pause(self, request: Request, id: str) -> object:
        control.pause_campaign(id=id, member_id=self.actor.member_id)
        return _campaign_data(id)

    @action(detail=True, methods=["post"])
    @endpoint("Resume a campaign", output=CampaignDetail, success="CampaignResumed_200", errors=STATE, transition=True)
    def resume(self, request: Request, id: str) -> object:
        control.resume_campaign(id=id, member_id=self.actor.member_id)
        return _campaign_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a campaign",
        output=CampaignCancelled,
        success="CampaignCancelled_200",
        errors=STATE,
        queues=True,
        description="Nothing of it goes from now on, for good." + MANY,
        transition=True,
    )
    def cancel(self, request: Request, id: str) -> object:
        cancelled = control.cancel_campaign(id=id, member_id=self.actor.member_id)
        return self.answer({**_campaign_data(id, CampaignCancelled), "cancelledCount": cancelled.count}, cancelled)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Duplicate a campaign",
        output=CampaignDetail,
        success="CampaignCreated_201",
        errors=NOT_FOUND,
        quota_module=services.MODULE,
        description="A draft with its words, people and rules, and no time to start at.",
    )
    def duplicate(self, request: Request, id: str) -> object:
        return _campaign_data(services.duplicate_campaign(id=id, member_id=self.actor.member_id).pk)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Choose the winner of a campaign's variants",
        input=WinnerChoice,
        output=CampaignDetail,
        success="CampaignWinnerChosen_200",
        errors=STATE,
        description="Whatever its rule is; those who were not in the test get the winner's words.",
    )
    def winner(self, request: Request, id: str, data: JsonObject) -> object:
        choose_winner(id=id, member_id=self.actor.member_id, **data)
        return _campaign_data(id)

    messages = list_action(
        Listing(
            "List the messages of a campaign",
            _messages,
            MESSAGE_FIELDS,
            MessageOut,
            errors=NOT_FOUND,
        ),
        url_path="messages",
        detail=True,
    )

    @action(detail=True, methods=["post"])
    @endpoint(
        "Release the drafts of a campaign",
        input=Release,
        output=Released,
        success="MessagesApproved_200",
        errors=(*STATE, "ManualCampaignNotFound_404"),
        queues=True,
        description="Those with the ids, or all; those that would never go end for that reason." + MANY,
    )
    def release(self, request: Request, id: str, data: JsonObject) -> object:
        ids = data.get("ids")
        drafts = SendJob.objects.filter(run__of_campaign=control.get_with_drafts(id).pk, status=SendJob.Status.DRAFT)
        left = count_skipped(drafts if ids is None else drafts.filter(pk__in=ids)).as_json()
        delay = data["delay_seconds"]
        changed = control.release_messages(id=id, member_id=self.actor.member_id, ids=ids, delay_seconds=delay)
        counts = {"changedCount": changed.count, "leftCount": left["leftCount"], "skipped": left["skipped"]}
        return self.answer(counts, changed)

    def answer(self, data: JsonObject, changed: Changed) -> Any:
        """Return the response with the changes, or with the job that applies them."""
        return self.success(data) if changed.job is None else respond(QUEUED, data, bulkJob=changed.job)
