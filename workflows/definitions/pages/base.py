"""Shared parts of the pages of workflows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import NotPossible, problems_by_node
from core.web.flows.pages import view_query
from core.web.navigation.places import WORKFLOWS, MenuItem
from core.web.pages import Page, PageError
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.problems import anchor_of, problem_view

STATUSES = {
    "unpublished": (gettext_lazy("Not published"), ""),
    "published": (gettext_lazy("Published"), "ok"),
    "paused": (gettext_lazy("Paused"), "warn"),
}
"""Status -> its label, and the tone of its badge."""
TRIES = 3
AT_TRIGGER = ("triggerEventType", "schedule", "config.filter", "config.changed", "config.segment")
"""Beginnings of the paths of problems that are fixed at the trigger."""
TABS = (
    ("workflow", gettext_lazy("Edit")),
    ("workflow-runs-of", gettext_lazy("Runs")),
    ("workflow-test", gettext_lazy("Try it")),
    ("workflow-settings", gettext_lazy("Settings")),
    ("workflow-versions", gettext_lazy("Versions")),
)
LIVE = ("queued", "running", "waiting", "paused")
"""Statuses of runs that have not ended."""


def shown_workflow(workflow: Values, triggers: Mapping[str, str]) -> JsonObject:
    """Return a workflow with labels of its status, its trigger and its runs."""
    label, tone = STATUSES.get(workflow["status"], (workflow["status"], ""))
    counts = workflow["runCounts"]
    kind = workflow["triggerEventType"]
    return {
        **workflow,
        "words": label,
        "mood": tone,
        "trigger": triggers.get(kind) or kind or gettext("Nothing yet"),
        "live": sum(counts.get(status, 0) for status in LIVE),
        "failed": counts.get("failed", 0),
    }


class WorkflowPage(Page):
    """Shared parts of the pages of workflows."""

    module = "workflow"
    menu = MenuItem(
        gettext_lazy("All workflows"),
        WORKFLOWS,
        10,
        "workflow",
        keywords=gettext_lazy("automation automations journeys sequences flows"),
    )

    @cached_property
    def catalogue(self) -> Values:
        contents: Values = self.read("workflow/catalogue").data
        return contents

    @cached_property
    def types(self) -> dict[str, Values]:
        """The types of nodes by their names."""
        return {node_type["type"]: node_type for node_type in self.catalogue["nodes"]}

    @cached_property
    def triggers(self) -> dict[str, str]:
        """Return kind of trigger -> its label."""
        return {trigger["kind"]: trigger["label"] for trigger in self.catalogue["triggers"]}


class OneWorkflow(WorkflowPage):
    """A page of one workflow, with its tabs and the actions on the whole workflow."""

    tab: ClassVar[str] = "workflow"

    @property
    def place(self) -> str:
        """The path of the workflow in the API."""
        return f"workflow/{self.params['id']}"

    @cached_property
    def workflow(self) -> Values:
        detail: Values = self.read(self.place).data
        return detail

    @property
    def graph(self) -> Graph:
        return Graph(self.workflow, self.types)

    @property
    def home(self) -> str:
        """The address of the drawing, as the list if the page was opened from it."""
        return self.address("workflow", self.params["id"], **view_query(self.request))

    def step_address(self, id: str) -> str:
        return self.address("workflow-step", self.params["id"], node=id, **view_query(self.request))

    def head(self) -> JsonObject:
        """Return the data of the pages' head."""
        workflow_data = shown_workflow(self.workflow, self.triggers)
        errors = workflow_data["validation"]["errors"]
        return {
            "workflow": workflow_data,
            "title": workflow_data["name"],
            "tabs": [(self.address(name, self.params["id"]), label, name == self.tab) for name, label in TABS],
            "errors": len(errors),
            "may_publish": workflow_data["status"] != "published" or workflow_data["hasChanges"],
            "home": self.home,
        }

    def problems(self, graph: Graph) -> list[JsonObject]:
        """Return each problem with its node, and the address where it is fixed."""
        rows: list[JsonObject] = []
        for id, ones in problems_by_node(self.workflow["validation"]).items():
            node = graph.find(id)
            for problem in ones:
                row = {**self.problem_row(problem, node), "label": graph.label(node) if node else ""}
                if not any(other["nodeId"] == row["nodeId"] and other["message"] == row["message"] for other in rows):
                    rows.append(row)
        return rows

    def problem_row(self, problem: Values, node: Values | None) -> JsonObject:
        """Return a problem as text, with the address of the field where it is fixed."""
        where = self.step_address(node["id"]) if node else self.mended_at(problem)
        anchor = anchor_of(problem)
        has_place = "#" in where or not anchor
        return {**problem_view(problem, node), "link": where if has_place else f"{where}#{anchor}"}

    def mended_at(self, problem: Values) -> str:
        """Return the address where a problem without a node is fixed: of a connection, the step that it leaves."""
        path = str(problem["path"])
        edge = next((edge for edge in self.graph.edges if edge["id"] == problem["edgeId"]), None)
        if edge is not None and self.graph.find(edge["source"]):
            return f"{self.step_address(edge['source'])}#connections"
        if problem["code"] == "noGraph":
            return self.address("workflow-add", self.params["id"], **view_query(self.request))
        trigger = self.graph.first
        if trigger and path.startswith(AT_TRIGGER):
            return self.step_address(trigger["id"])
        return self.address("workflow-settings", self.params["id"]) if path.startswith("config") else self.home

    def change(self, act: Callable[[Graph], Any]) -> tuple[Answer, Any]:
        """Change the present graph, and save it. Return the API's response and the result of the change.

        A simultaneous change of another member is not overwritten: the change is applied again to that version.
        """
        for attempt in range(TRIES):
            if attempt:
                del self.workflow
            graph = self.graph
            result = act(graph)
            body = {"nodes": graph.nodes, "edges": graph.edges, "unchangedSince": self.workflow["updatedAt"]}
            answer = self.ask("PUT", self.place, None, body)
            if answer.status != 409:
                break
        if answer.ok:
            self.workflow = answer.data
        return answer, result

    def apply_change(self, act: Callable[[Graph], Any], text: str, to: str = "") -> HttpResponse:
        """Change the graph, and redirect with the result."""
        if not self.may("workflow", "PUT"):
            raise PageError(403, gettext("You can't change workflows"))
        try:
            answer, _ = self.change(act)
        except NotPossible as error:
            return self.fail(str(error), to)
        return self.redirect_with_toast(text, to) if answer.ok else self.refuse(answer, to)

    # What is done to the workflow as a whole

    def do_publish(self) -> HttpResponse:
        """Publish the draft. The form's `runs` is the treatment of the runs of older versions."""
        answer = self.ask("POST", f"{self.place}/publish", None, {"runs": self.request.POST.get("runs") or "keep"})
        if not answer.ok and answer.body.get("errors"):
            number = len(answer.body["errors"])
            text = ngettext("Not published: fix %(count)s problem", "Not published: fix %(count)s problems", number)
            return self.fail(text % {"count": number}, self.home)
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Version %(version)s is published") % {"version": answer.data["version"]}, self.home
        )

    def do_unpublish(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/unpublish")
        return self.redirect_with_toast(gettext("Unpublished. Runs wait.")) if answer.ok else self.refuse(answer)

    def do_pause(self) -> HttpResponse:
        return self._status("paused", gettext("Paused. Runs wait."))

    def do_resume(self) -> HttpResponse:
        return self._status("published", gettext("Resumed"))

    def _status(self, status: str, text: str) -> HttpResponse:
        answer = self.ask("PUT", self.place, None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def do_duplicate(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/duplicate")
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Copied as “%(name)s”") % {"name": answer.data["name"]},
            self.address("workflow", answer.data["_id"]),
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.place)
        return (
            self.redirect_with_toast(gettext("Workflow deleted"), self.address("workflows"))
            if answer.ok
            else self.refuse(answer)
        )

    def do_start(self) -> HttpResponse:
        """Start a run without a record."""
        answer = self.ask("POST", f"{self.place}/enrol", None, {})
        return self.redirect_with_toast(gettext("Run started")) if answer.ok else self.refuse(answer)
