"""The UTM tags of campaigns: the company's setting, and the campaign's own source, medium and campaign."""

from __future__ import annotations

from collections.abc import Iterable

from core.api.input import BooleanInput, Input, LineInput
from core.types import JsonObject
from outreach.messaging.delivery.settings.models import MAX_UTM, GenieSettings
from outreach.runs.campaigns.models import Campaign

SOURCE = "newsletter"
MEDIUM = "email"


def _tag_input(help_text: str) -> LineInput:
    return LineInput(required=False, allow_blank=True, max_length=MAX_UTM, help_text=help_text)


class UtmInput(Input):
    """The UTM tags of a campaign."""

    utmTags = BooleanInput(
        required=False, help_text="Default true; it counts where GET /genie/settings has `utmTags` switched on."
    )
    utmSource = _tag_input("utm_source of its links; empty: the company's.")
    utmMedium = _tag_input("utm_medium of its links; empty: the company's.")
    utmCampaign = _tag_input("utm_campaign of its links; empty: its name.")


def tags_of(campaign: Campaign) -> dict[str, str]:
    """Return the UTM tags of the links of a campaign, by name; none where they are switched off."""
    settings = GenieSettings.objects.first() or GenieSettings()
    if campaign.by_chat or not (campaign.utm_tags and settings.utm_tags):
        return {}
    return {
        "utm_source": campaign.utm_source or settings.utm_source or SOURCE,
        "utm_medium": campaign.utm_medium or settings.utm_medium or MEDIUM,
        "utm_campaign": campaign.utm_campaign or campaign.name,
    }


def add_tags(campaign: Campaign, variants: Iterable[JsonObject], follow_ups: Iterable[JsonObject] = ()) -> None:
    """Give the tags to the contents of a campaign as `utm`; those of a variant have its name as utm_content."""
    tags = tags_of(campaign)
    if not tags:
        return
    for variant in variants:
        variant["utm"] = {**tags, "utm_content": variant["name"]} if variant["name"] else tags
    for content in follow_ups:
        if "chat" not in content:
            content["utm"] = tags
