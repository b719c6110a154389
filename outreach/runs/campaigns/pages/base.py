"""Shared parts of the pages of campaigns."""

from __future__ import annotations

from core.types import JsonObject, Values
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.pages import Page

STATUSES = {
    "draft": ("Draft", ""),
    "scheduled": ("Scheduled", "info"),
    "running": ("Running", "info"),
    "paused": ("Paused", "warn"),
    "completed": ("Done", "ok"),
    "cancelled": ("Cancelled", ""),
    "failed": ("Failed", "bad"),
}
"""Status -> its label, and the tone of its badge."""


def shown_campaign(campaign: Values) -> JsonObject:
    """Return the campaign with the label and the tone of its status."""
    label, tone = STATUSES.get(campaign["status"], (campaign["status"], ""))
    return {**campaign, "words": label, "mood": tone}


class CampaignPage(Page):
    """Shared parts of the pages of campaigns."""

    module = "campaign"
    menu = MenuItem("Campaigns", OUTREACH, 20, "megaphone", keywords="newsletters mailings broadcasts email marketing")
