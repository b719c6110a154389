"""The page of all campaigns."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.types import Values
from core.web.filters import Choice
from core.web.lists import Column, ListState
from outreach.runs.campaigns.pages.base import STATUSES, CampaignPage, shown_campaign


class Campaigns(CampaignPage):
    path = name = "campaigns"
    title = "Campaigns"
    template = "web/campaigns/list.html"
    columns = (
        Column("name", "Name", "name"),
        Column("status", "Status", "status"),
        Column("total", "People", css="right"),
        Column("sent", "Messages sent", css="right"),
        Column("replied", "Replied", css="right"),
        Column("createdBy", "By"),
        Column("createdAt", "Created", "createdAt"),
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
            "campaigns": [shown_campaign(entry) for entry in answer.data],
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_delete(self) -> HttpResponse:
        """Delete the campaigns whose boxes are ticked."""
        answer = self.ask("DELETE", "campaign", None, {"ids": self.request.POST.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer)
        number = answer.data["deletedCount"]
        text = ngettext("%(count)s campaign deleted", "%(count)s campaigns deleted", number) % {"count": number}
        return self.done(text)
