"""The report about forms: submissions, and their results."""

from __future__ import annotations

from django.db.models import Q

from core.reports import By, Report, Source, condition, count
from outreach.site.forms.models import FormLead
from outreach.site.forms.services import MODULE

STATES = {
    FormLead.State.NEW: "Waiting",
    FormLead.State.IMPORTED: "Leads",
    FormLead.State.FAILED: "Failed",
}
"""Status -> its label."""

FORMS = Report(
    name="forms",
    title="Forms",
    about="What was sent by forms in the period, and how much of it became leads.",
    modules=(MODULE,),
    place=76,
    sources=(
        Source(
            rows=lambda actor: FormLead.objects.all(),
            at="submitted_at",
            path="form/lead",
            at_field="submittedAt",
            by=(
                By("form", "Form", "form_id", label="form__name", field="form"),
                By("status", "What became of it", "state", labels=STATES, field="status"),
            ),
            columns=(
                count("sent", "Sent"),
                count("leads", "Leads", Q(state=FormLead.State.IMPORTED), condition("status", "equals", "imported")),
                count("failed", "Failed", Q(state=FormLead.State.FAILED), condition("status", "equals", "failed")),
            ),
        ),
    ),
)
REPORTS = (FORMS,)
