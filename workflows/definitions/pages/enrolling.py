"""The workflows of a record, and starting one for it or for several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.web.forms import Field, Form, Option
from core.web.pages import Refused
from workflows.definitions.pages.base import WorkflowPage

PANELS = ("contact", "lead")
STATUSES = {
    "queued": ("Ready", "info"),
    "running": ("At work", "info"),
    "waiting": ("Waiting", "info"),
    "paused": ("Paused", "warn"),
    "completed": ("Done", "ok"),
    "failed": ("Failed", "bad"),
    "cancelled": ("Cancelled", ""),
}
"""Status of a run -> its words, and the tone of its badge."""
SHOWN = 50


class WorkflowsOfRecord(WorkflowPage):
    """The runs of a contact or a lead, and a form that starts a workflow for it, or for those chosen in a list."""

    path = "workflows/of"
    name = "workflow-of"
    title = "Workflows of a record"
    template = "web/workflows/of.html"

    @property
    def about(self) -> tuple[str, list[str]]:
        """The panel and the ids of the records: one in the address, or several that a form sent."""
        asked = self.request.GET
        for panel in PANELS:
            if asked.get(panel):
                return panel, [asked[panel]]
        panel = asked.get("panel", "contact")
        return panel if panel in PANELS else "contact", self.request.POST.getlist("ids")

    def form(self) -> Form:
        asked = {"filters": {"status": "published"}, "p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc"}
        rows = self.read("workflow", asked).data
        options = [Option(one["_id"], one["name"]) for one in rows]
        return Form([Field("workflow", "Workflow", "select", options=options, required=True)])

    def show(self) -> Mapping[str, Any]:
        panel, ids = self.about
        runs: list[Mapping[str, Any]] = []
        if len(ids) == 1:
            answer = self.ask("GET", "workflow/runs", {"filters": {panel: ids[0]}, "p": "1", "n": str(SHOWN)})
            runs = answer.data if answer.ok else []
        shown = [{**one, "words": STATUSES[one["status"]][0], "mood": STATUSES[one["status"]][1]} for one in runs]
        number = len(ids)
        return {
            "panel": panel,
            "ids": ids,
            "runs": shown,
            "form": self.form() if self.may("workflow", "POST") else None,
            "who": f"{number:,} {panel}{'' if number == 1 else 's'}",
            "back": self.address(panel, ids[0]) if number == 1 else self.address(f"{panel}s"),
        }

    def do_start(self) -> HttpResponse:
        panel, ids = self.about
        if not ids:
            raise Refused(400, "This form is not complete", "Nobody is chosen.")
        workflow = self.sent_id("workflow")
        answer = self.ask("POST", f"workflow/{workflow}/enrol", None, {"panel": panel, "ids": ids})
        back = self.request.get_full_path() if len(ids) == 1 else self.address(f"{panel}s")
        if not answer.ok:
            return self.refuse(answer, back)
        number = answer.data["startedCount"]
        left = answer.data["selectedCount"] - number
        text = f"{number} run{' has' if number == 1 else 's have'} begun"
        return self.done(f"{text}; {left} left out, since they have one already" if left else text, back)
