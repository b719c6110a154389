"""The report about forms: submissions, and their results."""

from __future__ import annotations

from django.db.models import Q

from core.reports import Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from outreach.site.forms.models import FormLead
from outreach.site.forms.services import MODULE

STATES = {
    FormLead.State.NEW: gettext_lazy("Waiting"),
    FormLead.State.IMPORTED: gettext_lazy("Leads"),
    FormLead.State.FAILED: gettext_lazy("Failed"),
}
"""Status -> its label."""

FORMS = Report(
    name="forms",
    title=gettext_lazy("Forms"),
    about=gettext_lazy("Form submissions of the period, and the leads from them."),
    modules=(MODULE,),
    place=76,
    sources=(
        Source(
            rows=lambda actor: FormLead.objects.all(),
            at="submitted_at",
            path="form/lead",
            at_field="submittedAt",
            by=(
                Grouping("form", gettext_lazy("Form"), "form_id", label="form__name", field="form"),
                Grouping("status", gettext_lazy("Result"), "state", labels=STATES, field="status"),
            ),
            columns=(
                count("sent", gettext_lazy("Submissions")),
                count(
                    "leads",
                    gettext_lazy("Leads"),
                    Q(state=FormLead.State.IMPORTED),
                    filter_condition("status", "equals", "imported"),
                ),
                count(
                    "failed",
                    gettext_lazy("Failed"),
                    Q(state=FormLead.State.FAILED),
                    filter_condition("status", "equals", "failed"),
                ),
            ),
        ),
    ),
)
REPORTS = (FORMS,)
