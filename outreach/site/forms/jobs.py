"""The work of forms."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.submissions import QUEUE
from outreach.site.forms.worker import ask_due_forms, due_forms, forget_old, work_on_leads

register(QueueWork(QUEUE, work_on_leads, queue="send", task="outreach.process_form_leads", model=FormLead))
register(
    QueueWork(
        "form-gaps", ask_due_forms, due_rows=due_forms, queue="bulk", task="outreach.fetch_form_leads", model=Form
    )
)
register(PeriodicTask("outreach.old_form_leads", forget_old, every=timedelta(hours=1)))
