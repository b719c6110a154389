"""Requirements of a campaign's start."""

from __future__ import annotations

from django.utils import timezone

from core.errors import NamedError
from core.types import JsonObject
from outreach.connections.mail_vendors.services import not_found, nothing_selected
from outreach.runs.campaigns.chats import check_approved
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.utm import add_tags
from outreach.runs.campaigns.words import content_of, follow_ups_of, named_words
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.outcomes import tracking_of_company

MAX_FAILURES = 5
"""Maximum automatic start attempts."""


def check_ready(campaign: Campaign) -> JsonObject:
    """Return the content that the campaign would start with: `content` and `outreach_cadence` of its run.

    Raises CampaignFailedManyTime_400, and CampaignSMTPRequired_400 or NoMailvendorXSelected_400 without a sender.
    Raises CampaignSMTPNotFound_400 or MailvendorXNotFound_404 for one that is switched off. Raises
    CampaignSegmentsRequired_400, CampaignAudienceEmpty_400, and the errors of content_of.
    """
    if campaign.failures >= MAX_FAILURES:
        raise NamedError("CampaignFailedManyTime_400", f"it could not begin {campaign.failures} times; duplicate it")
    if campaign.ends_at is not None and campaign.ends_at <= timezone.now():
        raise NamedError("CampaignCannotBeUpdated_400", "choose a time in the future", field="endsAt")
    _check_sender(campaign)
    check_metric(campaign)
    content, cadence = content_of(campaign), follow_ups_of(campaign)
    check_approved(named_words(campaign, content, cadence))
    add_tags(campaign, content["variants"], [step["content"] for step in cadence.get("steps", ())])
    if not any(campaign.audience.values()):
        name = "CampaignSegmentsRequired_400"
        raise NamedError(name, "choose recipients", field="segments")
    live = campaign.audience_mode == Campaign.Audience.LIVE
    if not live and not Audience.from_json(campaign.audience).contacts().exists():
        raise NamedError(
            "CampaignAudienceEmpty_400",
            "choose others; no contact matches",
            field=("segments", "tags", "categories"),
            code="noRecipients",
        )
    return {"content": content, "outreach_cadence": cadence}


def check_metric(campaign: Campaign) -> None:
    """Raise InvalidPayload_400 if the winner is to be chosen by an untracked metric."""
    metric = campaign.winner_rule.get("metric")
    kind = {"opened": "opens", "clicked": "clicks"}.get(metric or "")
    if kind is None or (campaign.by_chat and kind == "opens"):
        return  # a chat vendor tells what was read
    if campaign.by_chat:
        raise NamedError(
            "InvalidPayload_400", "choose replies or chats read; chats report nothing else", field="winner.metric"
        )
    if not getattr(campaign, f"track_{kind}"):
        raise NamedError("InvalidPayload_400", f"turn on tracking of {kind}, or choose replies", field="winner.metric")
    if not tracking_of_company()[kind]:
        text = f"turn on tracking of {kind} in the settings, or choose replies"
        raise NamedError("InvalidPayload_400", text, field="winner.metric")


def _check_sender(campaign: Campaign) -> None:
    if campaign.by_chat:
        return  # its templates say which app sends it
    sender = campaign.sender
    if campaign.type == "smtp":
        if sender is None:
            raise NamedError("CampaignSMTPRequired_400", "choose a sender", field="smtp")
        if not sender.is_active:
            raise NamedError("CampaignSMTPNotFound_400", "choose another sender; this one is off", field="smtp")
        return
    letter = campaign.type[-1]
    if sender is None:
        raise NamedError(nothing_selected(letter).name, "choose a sender", field="mailApp")
    if not sender.is_active:
        raise NamedError(not_found(letter).name, "choose another sender; this one is off", field="mailApp")
