"""Personal data in submissions of forms."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, mentioning_rows, referring_rows, register_personal_data
from outreach.site.forms.models import FormLead


def _answers_of(subject: DataSubject) -> Q:
    return referring_rows(FormLead, subject) | mentioning_rows(subject, "answers", "error")


def blank_answers(subject: DataSubject, rows: QuerySet[FormLead]) -> int:
    """Blank the submission. The platform's id stays, so that it is not fetched again."""
    ended = {"status": FormLead.Work.DONE, "state": FormLead.State.IMPORTED, "lease": None}
    return rows.update(answers={}, consents=[], origin={}, error="", reason="", lead=None, **ended)


def register_tables() -> None:
    """Register the personal data of forms."""
    register_personal_data("formLeads", FormLead, _answers_of, blank_answers, module="lead")
