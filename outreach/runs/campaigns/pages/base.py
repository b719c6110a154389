"""Shared parts of the pages of campaigns."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.navigation.places import OUTREACH, MenuItem
from outreach.messaging.delivery.pages.reason_texts import ReasonedPage

STATUSES = {
    "draft": (gettext_lazy("Draft"), ""),
    "scheduled": (gettext_lazy("Scheduled"), "info"),
    "running": (gettext_lazy("Running"), "info"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
    "failed": (gettext_lazy("Failed"), "bad"),
}
"""Status -> its label, and the tone of its badge."""


def with_status_label(campaign: Values) -> JsonObject:
    """Return the campaign with the label and the tone of its status."""
    label, tone = STATUSES.get(campaign["status"], (campaign["status"], ""))
    return {**campaign, "words": label, "mood": tone}


class CampaignPage(ReasonedPage):
    """Shared parts of the pages of campaigns."""

    module = "campaign"
    menu = MenuItem(
        gettext_lazy("Campaigns"),
        OUTREACH,
        20,
        "megaphone",
        keywords=gettext_lazy("newsletters mailings broadcasts email marketing"),
    )
