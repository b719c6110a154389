"""The workflows of a record, and starting one for it."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.bulk import enrolment_message
from core.web.forms import Field, Form, Option
from core.web.pages import page_not_found
from workflows.definitions.pages.base import WorkflowPage

PANELS = ("contact", "lead")
STATUSES = {
    "queued": (gettext_lazy("Ready"), "info"),
    "running": (gettext_lazy("Running"), "info"),
    "waiting": (gettext_lazy("Waiting"), "info"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
}
"""Status of a run -> its label, and the tone of its badge."""
SHOWN = 50


class WorkflowsOfRecord(WorkflowPage):
    """The runs of a contact or a lead, and a form that starts a workflow for it."""

    path = "workflows/of"
    name = "workflow-of"
    title = gettext_lazy("Workflows of a record")
    template = "web/workflows/of.html"

    @cached_property
    def addressed_record(self) -> tuple[str, str]:
        """The panel and the id of the record that the address names; ("", "") for none."""
        params = self.request.GET
        return next(((panel, params[panel]) for panel in PANELS if is_id(params.get(panel, ""))), ("", ""))

    def form(self) -> Form:
        params = {"filters": {"status": "published"}, "p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc"}
        rows = self.read("workflow", params).data
        options = [Option(workflow["_id"], workflow["name"]) for workflow in rows]
        return Form(fields=[Field("workflow", _("Workflow"), "select", options=options, required=True)])

    def show(self) -> Values:
        panel, id = self.addressed_record
        if not id:
            return {"back": self.address("workflows")}
        answer = self.ask("GET", "workflow/runs", {"filters": {panel: id}, "p": "1", "n": str(SHOWN)})
        runs = answer.data if answer.ok else []
        heading = _("Workflows of %(named)s") % {"named": self._record_name(panel, id)}
        return {
            "heading": heading,
            "title": heading,
            "runs": [{**run, "words": STATUSES[run["status"]][0], "mood": STATUSES[run["status"]][1]} for run in runs],
            "form": self.form() if self.may("workflow", "POST") else None,
            "back": self.address(panel, id),
        }

    def _record_name(self, panel: str, id: str) -> str:
        """Return the record's name; "this contact" for one without a name, or that the reader may not see."""
        answer = self.ask("GET", f"{panel}/{id}") if self.may(panel) else None
        record = answer.data if answer is not None and answer.ok else {}
        contact = record if panel == "contact" else record.get("contact") or {}
        return (
            contact.get("name") or contact.get("email") or (_("this contact") if panel == "contact" else _("this lead"))
        )

    def do_start(self) -> HttpResponse:
        panel, id = self.addressed_record
        if not id:
            raise page_not_found()
        workflow = self.sent_id("workflow")
        answer = self.ask("POST", f"workflow/{workflow}/enrol", None, {"panel": panel, "ids": [id]})
        return self.redirect_with_toast(enrolment_message(answer.data)) if answer.ok else self.refuse(answer)
