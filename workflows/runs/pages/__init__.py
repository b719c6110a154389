"""Pages of runs: the list, the list of one workflow, and a run with its steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.ids import is_id
from core.text.labels.words import name_label, value_label
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import DATE, KNOWN, Choice
from core.web.forms.inputs import option_text
from core.web.lists import Column, ListState
from core.web.navigation.places import WORKFLOWS, MenuItem
from core.web.pages import PageError
from workflows.definitions.pages.base import OneWorkflow, WorkflowPage
from workflows.runs.pages.failures import failure_text, remedy_of
from workflows.runs.pages.steps import shown_steps
from workflows.runs.types import WorkflowRunData, WorkflowRunDetailData

STATUSES = {
    "queued": (gettext_lazy("Ready"), "info"),
    "running": (gettext_lazy("Running"), "info"),
    "waiting": (gettext_lazy("Waiting"), "info"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "completed": (gettext_lazy("Completed"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
}
"""Status -> its label, and the tone of its badge."""
REASONS = {
    "stop": gettext_lazy("Ended by a step"),
    "goal": gettext_lazy("Goal reached"),
    "exit": gettext_lazy("Exit condition met"),
    "quota": gettext_lazy("Waiting: the plan's steps are used up"),
    "concurrency": gettext_lazy("Queued"),
    "unpublished": gettext_lazy("The workflow is not published"),
    "byMember": gettext_lazy("Paused by a member"),
    "paused": gettext_lazy("All runs were paused"),
    "workflowPaused": gettext_lazy("The workflow is paused"),
    "held": gettext_lazy("All runs were paused"),
    "replaced": gettext_lazy("Replaced by a newer run"),
    "subjectDeleted": gettext_lazy("Record deleted"),
    "subjectErased": gettext_lazy("Record erased"),
    "workflowDeleted": gettext_lazy("The workflow was deleted"),
    "expired": gettext_lazy("Took too long"),
}
"""Reason of a status -> its label; others are shown as they are."""
WAITS = {
    "call": gettext_lazy("“%(step)s” waits for the response to its call."),
    "child": gettext_lazy("“%(step)s” waits for the started workflow."),
    "event": gettext_lazy("“%(step)s” waits for its event."),
}
"""Kind of a step's wait -> its description."""
WAITING = gettext_lazy("“%(step)s” waits.")
WRITING = ("mail", "genie", "chat")
"""Types of nodes whose output is about a message."""
COLUMNS = (
    Column("contact", gettext_lazy("Record")),
    Column("status", gettext_lazy("Status"), "status"),
    Column("workflow", gettext_lazy("Workflow")),
    Column("failure", gettext_lazy("Error")),
    Column("version", gettext_lazy("Version"), css="right"),
    Column("createdAt", gettext_lazy("Started"), "createdAt"),
)
CHOICES = (
    Choice(
        "status", gettext_lazy("Status"), ("in", "notIn"), tuple((name, words) for name, (words, _) in STATUSES.items())
    ),
    Choice("reason", gettext_lazy("Reason"), ("in",), tuple(REASONS.items())),
    Choice("workflow.name", gettext_lazy("Workflow")),
    Choice("contact.name", gettext_lazy("Contact")),
    Choice("contact.email", gettext_lazy("Email")),
    Choice("contact", gettext_lazy("This contact"), ("in",)),
    Choice("lead", gettext_lazy("This lead"), ("in",)),
    Choice("errorCode", gettext_lazy("Error"), ("equals", "contains", *KNOWN)),
    Choice("errorNode", gettext_lazy("Failed at"), ("equals", *KNOWN)),
    Choice("startedAt", gettext_lazy("Started"), DATE, kind="date"),
    Choice("finishedAt", gettext_lazy("Ended"), DATE, kind="date"),
    Choice("createdAt", gettext_lazy("Started"), DATE, kind="date"),
)


def shown_run(run: WorkflowRunData) -> JsonObject:
    """Return a run with labels of its status, its reason and its record."""
    label, tone = STATUSES.get(run["status"], (run["status"], ""))
    contact = run["contact"]
    who = gettext("A lead") if run["lead"] else gettext("No record")
    if contact:
        who = contact["name"] or contact["email"] or gettext("A contact")
    reason = REASONS.get(run["reason"], "") if run["status"] not in ("completed", "failed") else ""
    failure = failure_text(run["failure"])
    return {**run, "words": label, "mood": tone, "who": who, "why": reason, "trouble": failure}


RUNS = MenuItem(
    gettext_lazy("Runs"), WORKFLOWS, 20, "history", keywords=gettext_lazy("workflow runs executions history failed")
)


def shown_wait(wait: Values, labels: Mapping[str, str]) -> JsonObject:
    """Return the wait of a step with its texts."""
    label = labels.get(wait["node"]) or wait["node"]
    return {**wait, "label": label, "text": WAITS.get(wait["for"], WAITING) % {"step": label}}


class RunList:
    """Shared parts of lists of runs."""

    columns: tuple[Column, ...] = COLUMNS
    state: ListState

    def run_list_context(self: Any, **extra: Any) -> JsonObject:
        state = ListState(self.request.GET, {entry.name: entry for entry in CHOICES}, zone=self.zone_name)
        response = self.read("workflow/runs", {**state.query(), **extra})
        return {
            "state": state,
            "choices": CHOICES,
            "columns": self.columns,
            "runs": [shown_run(entry) for entry in response.data],
            "failed_filter": response.total and any(str(entry) == "status:in:failed" for entry in state.filters),
            "total": response.total,
            "more": state.more(response.next_cursor, len(response.data)) if response.next_cursor else None,
        }

    def do_redrive(self: Any) -> HttpResponse:
        """Begin the chosen runs again where they failed, or all that match."""
        form_data = self.request.POST
        if "all" in form_data:
            state = ListState(self.request.GET, {choice.name: choice for choice in CHOICES}, zone=self.zone_name)
            own = {"filters": {"workflow": self.params["id"]}} if self.params else {}
            query, body = {**state.selection(), **own}, {"selectAll": True}
        else:
            query, body = {}, {"ids": form_data.getlist("ids")}
        answer = self.ask("POST", "workflow/runs/redrive", query, {**body, "from": "failed"})
        if not answer.ok:
            return self.refuse(answer)  # type: ignore[no-any-return]
        return self.redirect_with_toast(gettext("Retrying failed runs"), watch=answer.job)  # type: ignore[no-any-return]

    def do_delete(self: Any) -> HttpResponse:
        answer = self.ask("DELETE", "workflow/runs", None, {"ids": self.request.POST.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer)  # type: ignore[no-any-return]
        number = answer.data["deletedCount"]
        text = ngettext("%(count)s run deleted", "%(count)s runs deleted", number) % {"count": number}
        return self.redirect_with_toast(text)  # type: ignore[no-any-return]


class WorkflowRuns(RunList, WorkflowPage):
    path = "workflow-runs"
    name = "workflow-runs"
    menu = RUNS
    title = gettext_lazy("Runs of workflows")
    template = "web/workflows/runs.html"

    def show(self) -> Values:
        return self.run_list_context()


class RunsOfWorkflow(RunList, OneWorkflow):
    path = "workflows/<str:id>/runs"
    name = tab = "workflow-runs-of"
    tab_name = gettext_lazy("Runs")
    template = "web/workflows/runs.html"
    columns = tuple(one for one in COLUMNS if one.name != "workflow")

    def show(self) -> Values:
        return {**self.head(), **self.run_list_context(filters={"workflow": self.params["id"]})}

    def do_hold(self) -> HttpResponse:
        return self._change_all(
            "pause", lambda number: ngettext("%(count)s run paused", "%(count)s runs paused", number)
        )

    def do_release(self) -> HttpResponse:
        return self._change_all(
            "resume", lambda number: ngettext("%(count)s run resumed", "%(count)s runs resumed", number)
        )

    def _change_all(self, action: str, text_of: Callable[[int], str]) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/runs/{action}")
        if not answer.ok:
            return self.refuse(answer)
        number = answer.data["count"]
        return self.redirect_with_toast(text_of(number) % {"count": number})


class Run(WorkflowPage):
    """A run: its steps with their results, its waits, and the actions on it."""

    path = "workflow-runs/<str:id>"
    name = "workflow-run"
    tab_name = gettext_lazy("Run")
    menu = RUNS
    template = "web/workflows/run.html"

    @property
    def place(self) -> str:
        return f"workflow/runs/{self.params['id']}"

    @cached_property
    def run(self) -> WorkflowRunDetailData:
        detail: WorkflowRunDetailData = self.read(self.place).data
        return detail

    def show(self) -> Values:
        run = self.run
        run_data = shown_run(run)
        labels = {
            id: entry["label"] or self.types.get(entry["type"], {}).get("label") or entry["type"]
            for id, entry in run["nodes"].items()
        }
        state = ListState(self.request.GET)
        response = self.read(
            f"{self.place}/steps", {**state.query(size=100), "sortBy": "createdAt", "sortOrder": "asc"}
        )
        steps = [self._step(entry, labels) for entry in shown_steps(run, response.data)]
        failure = run["failure"]
        workflow = run["workflow"]
        moving = run["status"] in ("queued", "running")
        return {
            "run": run_data,
            "title": f"{workflow['name']}: {run_data['who']}",
            "steps": steps,
            "more": state.more(response.next_cursor, len(response.data))[0] if response.next_cursor else "",
            "waits": [shown_wait(entry, labels) for entry in run["waits"]],
            "remedy": remedy_of(failure),
            "failed_at": (labels.get(failure["node"]) or failure["node"]) if failure else "",
            "moving": moving,
            "published": workflow["status"] == "published",
            "newer": workflow["version"] if workflow["version"] not in (None, run["version"]) else None,
            "again": any(entry["can_begin"] and entry["status"] != "failed" for entry in steps),
            "ended": run["status"] in ("completed", "failed", "cancelled"),
            "trigger": self.triggers.get(run["trigger"].get("kind", ""), run["trigger"].get("kind", "")),
            "input": _value_text(run["trigger"].get("payload") or run["trigger"].get("input")),
        }

    def _step(self, step: Values, labels: Mapping[str, str]) -> JsonObject:
        status_label, tone = step["badge"]
        label = labels.get(step["node"]) or step["node"]
        failure = self.run["failure"] or {"node": None}
        # The page's summary says it already.
        is_told = failure["node"] == step["node"] and failure_text(failure) == step["trouble"]
        step_data = {
            "trouble": "" if is_told else step["trouble"],
            "label": label,
            "words": status_label,
            "mood": tone,
            "given": _value_text(step["input"]),
            "made": _value_text(step["output"]),
        }
        return {**step, **step_data, "message": self._message(step)}

    def _message(self, step: Values) -> str:
        """Return the id of the message that a step has written, for those who may read it."""
        type = self.run["nodes"].get(step["node"], {}).get("type")
        id = (step["output"] or {}).get("id") if type in WRITING and self.may("genie") else None
        return id if isinstance(id, str) and is_id(id) else ""

    def do_pause(self) -> HttpResponse:
        return self._do("pause", gettext("Run paused"))

    def do_resume(self) -> HttpResponse:
        return self._do("resume", gettext("Resumed"))

    def do_shift(self) -> HttpResponse:
        return self._do("resume", gettext("Resumed with extended waits"), {"shift": True})

    def do_cancel(self) -> HttpResponse:
        return self._do("cancel", gettext("Cancelled"))

    def do_again(self) -> HttpResponse:
        """Retry the failed nodes."""
        if self.version == "same":
            return self._do("resume", gettext("Retrying"))
        return self._do("restart", gettext("Retrying with the latest version"), {"from": "failed", "version": "latest"})

    def do_restart(self) -> HttpResponse:
        return self._do("restart", gettext("Restarted"), {"from": "start", "version": self.version})

    def do_retry(self) -> HttpResponse:
        """Begin again at a step, which the address of the button names."""
        node = self.request.GET.get("node", "")
        if not node:
            raise PageError(400, gettext("This form is not complete"), gettext("The step is missing."))
        return self._do("restart", gettext("Restarted from that step"), {"from": node, "version": self.version})

    @property
    def version(self) -> str:
        """The version with which a run begins again, from the form."""
        return "latest" if "latest" in self.request.POST else "same"

    def do_delete(self) -> HttpResponse:
        back = self.address("workflow-runs-of", self.run["workflow"]["_id"])
        answer = self.ask("DELETE", self.place)
        return self.redirect_with_toast(gettext("Run deleted"), back) if answer.ok else self.refuse(answer)

    def _do(self, action: str, text: str, body: Values | None = None) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/{action}", None, body)
        here = self.address()
        return self.redirect_with_toast(text, here) if answer.ok else self.refuse(answer, here)


def _value_text(value: Any) -> str:
    """Return a value of a step as readable text."""
    if value in (None, {}, []):
        return ""
    if isinstance(value, Mapping) and not any(isinstance(part, (Mapping, list)) for part in value.values()):
        return "\n".join(f"{name_label(name)}: {_part(name, part)}" for name, part in value.items())
    return json.dumps(value, indent=2, ensure_ascii=False)


def _part(name: str, value: Any) -> str:
    """Return a plain value of a step as readable text."""
    return value_label(name, value) if isinstance(value, str) else option_text(value)


PAGES = [WorkflowRuns, Run, RunsOfWorkflow]
