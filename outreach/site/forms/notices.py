"""The notices about forms."""

from __future__ import annotations

from django.utils.translation import gettext

from accounts.members.notices import members_who_may, notify
from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy
from crm.leads.models import Lead
from outreach.connections.connected_apps.registry import MODULE
from outreach.site.forms.models import Form, FormLead

FORM_SUBMITTED = Notice("form.submitted", gettext_lazy("New form answer"), "notice_form_submitted", on=False)
SOCIAL_APP_FAILING = Notice(
    "social_app.failing", gettext_lazy("Social account disconnected"), "notice_social_app_failing"
)


def tell_submitted(row: FormLead, form: Form) -> None:
    """Notify the member who got the lead, or who created the form, in the caller's transaction."""
    lead_id = FormLead.objects.filter(pk=row.pk).values_list("lead_id", flat=True).first()
    lead = Lead.objects.select_related("team_member", "contact").filter(pk=lead_id).first()
    if lead is None:
        return
    who = lead.team_member or form.created_by
    notify(FORM_SUBMITTED.key, {"form": form, "lead": lead}, members=[who], about=("lead", lead.pk))


def tell_refused(form: Form) -> None:
    """Notify the members who may connect apps, once for each time that it stopped working."""
    app = form.app
    if app is not None and app.verified:
        members = members_who_may(MODULE, gettext("PUT"))
        notify(SOCIAL_APP_FAILING.key, {"app": app}, members=members, about=("apps/social-a", app.pk))
