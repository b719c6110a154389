"""The page of all campaigns."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.filters import Choice
from core.web.lists import Column, ListState
from outreach.runs.campaigns.pages.base import STATUSES, CampaignPage, with_status_label


class Campaigns(CampaignPage):
    path = name = "campaigns"
    title = gettext_lazy("Campaigns")
    template = "web/campaigns/list.html"
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("total", gettext_lazy("People"), css="right"),
        Column("sent", gettext_lazy("Messages sent"), css="right"),
        Column("replied", gettext_lazy("Replied"), css="right"),
        Column("createdBy", gettext_lazy("By")),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )

    def show(self) -> Values:
        statuses = tuple((name, label) for name, (label, _) in STATUSES.items())
        choices = [
            Choice("status", gettext("Status"), ("in",), statuses),
            Choice("name", gettext("Name"), ("contains",)),
        ]
        state = ListState(self.request.GET, {entry.name: entry for entry in choices}, zone=self.zone_name)
        answer = self.read("campaign", state.query())
        return {
            "state": state,
            "choices": choices,
            "columns": self.columns,
            "campaigns": [with_status_label(entry) for entry in answer.data],
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_delete(self) -> HttpResponse:
        """Delete the campaigns whose boxes are ticked."""
        answer = self.ask("DELETE", "campaign", None, {"ids": self.request.POST.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer)
        number = answer.data["deletedCount"]
        text = ngettext("%(count)s campaign deleted", "%(count)s campaigns deleted", number) % {"count": number}
        return self.redirect_with_toast(text)
