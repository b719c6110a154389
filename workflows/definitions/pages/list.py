"""The page of all workflows, a new one, and one from a file."""

from __future__ import annotations

import orjson
from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.filters import DATE, Choice
from core.web.forms import Field, Form
from core.web.lists import Column, ListState
from workflows.definitions.pages.base import STATUSES, WorkflowPage, shown_workflow
from workflows.definitions.pages.triggers import TriggerField

MAX_BYTES = 2_000_000


class Workflows(WorkflowPage):
    path = name = "workflows"
    title = gettext_lazy("Workflows")
    template = "web/workflows/list.html"
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("trigger", gettext_lazy("Trigger")),
        Column("live", gettext_lazy("Running"), css="right"),
        Column("failed", gettext_lazy("Failed"), css="right"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )

    def show(self) -> Values:
        statuses = tuple((name, label) for name, (label, _) in STATUSES.items())
        choices = [
            Choice("status", gettext("Status"), ("in",), statuses),
            Choice("triggerEventType", gettext("Trigger"), ("in",), tuple(self.triggers.items())),
            Choice("updatedAt", gettext("Changed"), DATE, kind="date"),
        ]
        state = ListState(self.request.GET, {entry.name: entry for entry in choices}, zone=self.zone_name)
        response = self.read("workflow", state.query())
        return {
            "state": state,
            "choices": choices,
            "columns": self.columns,
            "workflows": [shown_workflow(entry, self.triggers) for entry in response.data],
            "total": response.total,
            "more": state.more(response.next_cursor, len(response.data)) if response.next_cursor else None,
        }

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "workflow", None, {"ids": self.request.POST.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer)
        number = answer.data["deletedCount"]
        text = ngettext("%(count)s workflow deleted", "%(count)s workflows deleted", number) % {"count": number}
        return self.redirect_with_toast(text)


class NewWorkflow(WorkflowPage):
    path = "workflows/new"
    name = "workflow-new"
    title = gettext_lazy("New workflow")
    action = gettext_lazy("New workflow")
    template = "web/workflows/new.html"

    def form(self) -> Form:
        return Form(
            fields=[
                Field(
                    "name",
                    gettext("Name"),
                    required=True,
                    autofocus=True,
                    help_text=gettext("Only your team sees this."),
                ),
                TriggerField(gettext("Trigger"), self.triggers, "contact.created"),
            ]
        )

    def show(self) -> Values:
        if not self.may("workflow", "POST"):
            return {"form": None}
        templates = [
            {**template, "starts": self.triggers.get(template["triggerEventType"], template["triggerEventType"])}
            for template in self.read("workflow/templates").data["templates"]
        ]
        return {
            "form": self.form(),
            "ready": [template for template in templates if template.get("emails")],
            "templates": [template for template in templates if not template.get("emails")],
        }

    def do_template(self) -> HttpResponse:
        """Make a workflow of a template."""
        form = self.form()
        return self._create(form, {"template": self.request.POST.get("template", "")}, "workflow")

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        trigger = {"id": "trigger", "type": "trigger", "position": {"x": 0, "y": 0}, "data": {}}
        return self._create(form, {**form.values, "nodes": [trigger], "edges": []}, "workflow")

    def do_import(self) -> HttpResponse:
        """Make a workflow of an exported file."""
        upload = self.request.FILES.get("file")
        form = self.form()
        if upload is None or not upload.size or upload.size > MAX_BYTES:
            form.add_error(None, gettext("Choose an exported workflow file of at most 2 MB."))
            return self.page({"form": form}, status=422)
        try:
            body = orjson.loads(upload.read().decode("utf-8-sig"))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            form.add_error(None, gettext("This is not an exported workflow. Choose its JSON file."))
            return self.page({"form": form}, status=422)
        return self._create(form, body, "workflow/import")

    def _create(self, form: Form, body: Values, path: str) -> HttpResponse:
        answer = self.ask("POST", path, None, body)
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(
            gettext("Workflow added. Add steps, then publish it."), self.address("workflow", answer.data["_id"])
        )
