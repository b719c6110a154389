"""Back office pages of campaigns."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.dialogs import has_status
from core.backoffice.panels import register_panel
from core.backoffice.references import register_event_kind
from core.text.translation import gettext_lazy as _
from outreach.messaging.delivery.admin import message_table
from outreach.messaging.delivery.models import SendJob
from outreach.runs.campaigns.control import cancel_campaign
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import run_of


@admin.register(Campaign)
class CampaignAdmin(CompanyRecordAdmin):
    """Campaigns, with the states of their messages."""

    icon = "mark_email_read"
    finds = True
    list_display = ("name", "company", "status", "goes_by", "audience_mode", "recurring", "started_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY, "recurring", "manual")
    search_fields = ("=id", "name", "company__name")
    folds = ("type",)
    commands = ("cancel",)
    when: ClassVar[Any] = {"cancel": has_status("scheduled", "running", "paused")}

    @admin.display(description=_("Channel"), ordering="type")
    def goes_by(self, row: Campaign) -> str:
        return _("Chat") if row.by_chat else _("Email")

    cancel = command(_("Cancel"), lambda row: cancel_campaign(id=row.pk, member_id=None), _("Cancelled"))


@register_panel(Campaign, _("Messages"), permission="outreach.view_sendjob")
def _messages(campaign: Campaign) -> SafeString:
    run = run_of(campaign.pk)
    messages = SendJob.objects.filter(run=run) if run else SendJob.objects.none()
    return message_table(messages, run__id__exact=run.pk if run else "")


register_event_kind(Campaign, "campaign")
