"""The work of forms."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.forms.models import Form, FormLead
from outreach.forms.submissions import QUEUE, wake_refused
from outreach.forms.worker import ask_due_forms, forget_old, has_due_forms, has_due_leads, work_on_leads
from outreach.social_apps.services import RECONNECTED

register(QueueWork(QUEUE, work_on_leads, has_due=has_due_leads, queue="send", model=FormLead))
register(QueueWork("form-gaps", ask_due_forms, has_due=has_due_forms, queue="bulk", model=Form))
register(PeriodicTask("outreach.old_form_leads", forget_old, every=timedelta(hours=1)))
RECONNECTED.append(wake_refused)
