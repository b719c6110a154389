"""The settings of a workflow, and its versions."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.schema_forms import SchemaForm, Sources
from core.web.forms import Field, Form, Option
from core.web.lists import Column, ListState
from core.web.pages import PageError
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.problems import problem_view
from workflows.definitions.pages.step import OF_TRIGGER, fingerprint

LABELS = {
    "config.enrolment": gettext_lazy("Starts per record"),
    "config.enrolment.mode": gettext_lazy("How often"),
    "config.enrolment.cooldown": gettext_lazy("Minimum time between starts"),
    "config.window": gettext_lazy("Start hours"),
    "config.window.days": gettext_lazy("Days"),
    "config.window.start": gettext_lazy("From"),
    "config.window.end": gettext_lazy("Until"),
    "config.window.timezone": gettext_lazy("Time zone"),
    "config.whilePaused": gettext_lazy("Starts while paused"),
    "config.concurrency": gettext_lazy("Maximum of parallel runs"),
    "config.rate": gettext_lazy("Start limit"),
    "config.rate.starts": gettext_lazy("Starts"),
    "config.rate.per": gettext_lazy("Per"),
    "config.retention": gettext_lazy("Keep ended runs (days)"),
    "config.goal": gettext_lazy("Goal"),
    "config.goal.events": gettext_lazy("Any of these events"),
    "config.goal.filter": gettext_lazy("Conditions on the record"),
    "config.exit": gettext_lazy("Exit condition"),
    "config.exit.events": gettext_lazy("Any of these events"),
    "config.exit.filter": gettext_lazy("Conditions on the record"),
    "config.priority": gettext_lazy("Priority (1 to 9)"),
    "config.allowSelfTrigger": gettext_lazy("Allow this workflow to start itself"),
}
"""Path of a setting -> its label."""
WORDS = {
    "config.enrolment.mode": {
        "once": gettext_lazy("Once"),
        "whenIdle": gettext_lazy("If no run is active"),
        "always": gettext_lazy("Every time"),
        "replace": gettext_lazy("Every time, and end the current run"),
    },
    "config.whilePaused": {"skip": gettext_lazy("Skipped"), "queue": gettext_lazy("Queued")},
}
"""Path of a setting -> value -> its label."""
HELPS = {
    "config.goal": gettext_lazy("Completes the run early."),
    "config.exit": gettext_lazy("Cancels the run early."),
    "config.goal.filter": gettext_lazy("Checked when the record changes or the run continues."),
    "config.exit.filter": gettext_lazy("Checked when the record changes or the run continues."),
    "config.concurrency": gettext_lazy("Further runs wait."),
    "config.rate": gettext_lazy("Further starts wait."),
    "config.window.timezone": gettext_lazy("Leave empty to use the company's."),
    "config.allowSelfTrigger": gettext_lazy("At most five times in a row."),
    "config.priority": gettext_lazy("Runs with priority 1 start first."),
    "config.retention": gettext_lazy("Leave empty to use the company's rule."),
}
"""Path of a setting -> the help below it."""


class WorkflowSettings(OneWorkflow):
    """The name, who gets in how often, and when runs begin."""

    path = "workflows/<str:id>/settings"
    name = tab = "workflow-settings"
    tab_name = gettext_lazy("Settings")
    template = "web/workflows/settings.html"

    def forms(self) -> tuple[Form, SchemaForm]:
        schema = self.catalogue["settings"]["config"]
        properties = {name: definition for name, definition in schema["properties"].items() if name not in OF_TRIGGER}
        own = {**schema, "properties": properties}
        sources = Sources(self.chosen_from, labels=LABELS, words=WORDS, helps=HELPS)
        form = SchemaForm(own, self.workflow["config"], sources)
        return Form(fields=[Field("name", _("Name"), required=True, initial=self.workflow["name"])]), form

    def chosen_from(self, widget: str, source: str) -> list[Option] | None:
        """Return the segments for the one that starts runs; None, so that it is typed, for who may not see them."""
        return (self.options_of("segment") or None) if source == "/segment" else None

    def show(self) -> Values:
        return self.context(*self.forms())

    def context(self, name_form: Form, form: SchemaForm, **more: Any) -> JsonObject:
        problems = [problem for problem in self.workflow["validation"]["errors"] if not problem["nodeId"]]
        marked = [
            form.mark(problem["path"], problem_view(problem)["message"])
            for problem in problems
            if problem["path"].startswith("config")
        ]
        return {
            **self.head(),
            "name_field": name_form["name"],
            "form": form,
            "marked": any(marked),
            "opened": fingerprint({}, self.workflow),
            **more,
        }

    def do_save(self) -> HttpResponse:
        if not self.may("workflow", "PUT"):
            raise PageError(403, _("You can't change workflows"))
        form_data = self.request.POST
        name_form, form = self.forms()
        values = form.read(form_data)
        name = name_form.bind(form_data).values["name"]
        now = fingerprint({}, self.workflow)
        if form_data.get("opened", now) != now and form_data.get("do") != "overwrite":
            by = self.workflow["updatedBy"]
            clash = {"who": by["name"] if by else _("Someone"), "at": self.workflow["updatedAt"]}
            return self.page(self.context(name_form, form, clash=clash), status=422)
        trigger_config = {key: value for key, value in self.workflow["config"].items() if key in OF_TRIGGER}
        body = {"config": {**trigger_config, **values}}
        if name != self.workflow["name"]:
            body["name"] = name
        answer = self.ask("PUT", self.place, None, body)
        if not answer.ok:
            return self.page(self.context(name_form, form, trouble=answer.refusal), status=422)
        self.workflow = answer.data
        return self.redirect_with_toast(_("Saved"))

    do_overwrite = do_save

    def do_export(self) -> HttpResponse:
        """Hand out the workflow as a file."""
        answer = self.require_ok(self.ask("GET", f"{self.place}/export"))
        response = JsonResponse(answer.data, json_dumps_params={"indent": 2, "ensure_ascii": False})
        response["Content-Disposition"] = 'attachment; filename="workflow.json"'
        return response


class WorkflowVersions(OneWorkflow):
    """The published versions, with an action to restore one."""

    path = "workflows/<str:id>/versions"
    name = tab = "workflow-versions"
    tab_name = gettext_lazy("Versions")
    template = "web/workflows/versions.html"
    columns = (
        Column("number", gettext_lazy("Version")),
        Column("publishedBy", gettext_lazy("By")),
        Column("createdAt", gettext_lazy("Published")),
    )

    def show(self) -> Values:
        state = ListState(self.request.GET)
        response = self.read(f"{self.place}/versions", {**state.query(), "sortBy": "number", "sortOrder": "desc"})
        return {
            **self.head(),
            "state": state,
            "columns": self.columns,
            "versions": response.data,
            "more": state.more(response.next_cursor, len(response.data)) if response.next_cursor else None,
        }

    def do_restore(self) -> HttpResponse:
        number = self.request.POST.get("number", "")
        if not number.isascii() or not number.isdecimal() or len(number) > 8:
            raise PageError(400, _("This form is not complete"), _("The version is missing."))
        answer = self.ask("POST", f"{self.place}/versions/{number}/restore")
        home = self.address("workflow", self.params["id"])
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            _("Version %(number)s is the draft again. Publish the draft to use the version.") % {"number": number}, home
        )
