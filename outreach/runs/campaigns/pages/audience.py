"""The audience of a campaign, as its form shows it."""

from __future__ import annotations

from urllib.parse import urlencode

from core.text.translation import gettext_lazy
from core.types import Values
from outreach.runs.campaigns.pages.base import CampaignPage
from outreach.runs.campaigns.pages.form import WHO
from outreach.runs.genie.pages import chats
from outreach.runs.genie.pages.new import EXCLUDED, SAMPLES


class CampaignAudience(CampaignPage):
    """The audience of a choice: a part of the form."""

    path = "campaigns/audience"
    name = "campaign-audience"
    title = gettext_lazy("Recipients")
    template = "web/campaigns/audience.html"

    def show(self) -> Values:
        chosen = {name: self.request.GET.getlist(name) for name in WHO if self.request.GET.getlist(name)}
        if not chosen or not self.may("campaign", "POST") or not self.may("contact"):
            return {"found": None}
        by_chat = {"type": chats.CHAT} if self.request.GET.get("chatTemplate") else {}
        answer = self.ask("POST", "campaign/audience-preview", None, {**chosen, **by_chat})
        if answer.status == 400:
            return {"found": None, "is_gone": True}
        audience = self.require_ok(answer).data
        excluded = [f"{number:,} {EXCLUDED.get(reason, reason)}" for reason, number in audience["excluded"].items()]
        return {
            "found": audience,
            "by_chat": bool(by_chat),
            "left_out": audience["count"] - audience["sendable"],
            "excluded": ", ".join(map(str, excluded)),
            "samples": audience["sample"][:SAMPLES],
            "back": f"{self.address('campaign-new')}?{urlencode(chosen, doseq=True)}",
        }
