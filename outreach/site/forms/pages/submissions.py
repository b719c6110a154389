"""The page of the submissions of a form."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse

from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.filters import Choice
from core.web.lists import Column, ListState
from outreach.site.forms.pages.records import OneForm

BECAME = {
    "new": (_("Waiting"), "info"),
    "imported": (_("Lead"), "ok"),
    "failed": (_("Failed"), "bad"),
}
"""Status of what was sent -> its word and tone."""


class FormAnswers(OneForm):
    """Submissions of a form, with their results."""

    path = "forms/<str:id>/answers"
    name = "form-answers"
    tab_name = _("Submissions")
    template = "web/forms/answers.html"
    columns = (
        Column("submittedAt", _("Submitted"), "submittedAt"),
        Column("answers", _("Answers")),
        Column("status", _("Result"), "status"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("status", _("Status"), ("in",), tuple((key, label) for key, (label, tone) in BECAME.items())),)

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {choice.name: choice for choice in self.choices}, zone=self.zone_name)

    def show(self) -> Values:
        answer = self.read("form/lead", {**self.state.query(), "formId": self.params["id"]})
        labels = {row["key"]: row["label"] for row in self.record["fields"]}
        rows = [
            {
                **row,
                "words": BECAME[row["status"]][0],
                "mood": BECAME[row["status"]][1],
                "said": [
                    (labels.get(key, key), ", ".join(value) if isinstance(value, list) else value)
                    for key, value in row["answers"].items()
                ],
            }
            for row in answer.data
        ]
        more = self.state.more(answer.next_cursor, len(rows)) if answer.next_cursor else None
        shared = {"columns": self.columns, "choices": self.choices, "state": self.state}
        return {**shared, "records": rows, "total": answer.total, "more": more}

    def do_again(self) -> HttpResponse:
        answer = self.ask("PUT", f"form/lead/{self.sent_id()}", None, {"status": "new"})
        return self.redirect_with_toast(_("Retrying")) if answer.ok else self.refuse(answer)


PAGES = [FormAnswers]
