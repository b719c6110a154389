"""The registrations of forms."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Value

from accounts.settings.notices import register_notice
from core.api.routes import protected, public
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, QueueWork, register
from crm.exports.lists import register_source
from outreach.connections.social_apps.services import social_app_reconnected
from outreach.site.forms.filters import FORM_FIELDS
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.notices import FORM_SUBMITTED, SOCIAL_APP_FAILING
from outreach.site.forms.privacy import register_tables
from outreach.site.forms.submissions import QUEUE, wake_refused
from outreach.site.forms.views import FormLeadViewSet, FormViewSet, PublicFormViewSet
from outreach.site.forms.worker import ask_due_forms, due_forms, forget_old, work_on_leads

protected.register("form", FormViewSet)
protected.register("form/lead", FormLeadViewSet)
public.register("form/<str:token>", PublicFormViewSet)
register(QueueWork(QUEUE, work_on_leads, queue="send", task="outreach.process_form_leads", model=FormLead))
register(
    QueueWork(
        "form-gaps", ask_due_forms, due_rows=due_forms, queue="bulk", task="outreach.fetch_form_leads", model=Form
    )
)
register(PeriodicTask("outreach.old_form_leads", forget_old, every=timedelta(hours=1)))
social_app_reconnected.connect(wake_refused)
register_notice(FORM_SUBMITTED)
register_notice(SOCIAL_APP_FAILING)
register_source("form", FormViewSet)
register_kind(Kind("form", "lead", lambda actor: Form.objects.all(), FORM_FIELDS.pick("name"), "name", Value(""), 36))
register_tables()
