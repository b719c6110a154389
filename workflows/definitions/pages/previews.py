"""Pages to review a workflow before it is published: the values of a step, two versions, and the effect on runs."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.graph import Graph

RUNS = {
    "keep": gettext_lazy("Keep the current version ({})"),
    "move": gettext_lazy("Use the new version ({})"),
    "cancel": gettext_lazy("End the runs ({})"),
}
"""Treatment of the runs of older versions -> its description."""


class StepValues(OneWorkflow):
    """The values that a step may refer to, with examples."""

    path = "workflows/<str:id>/values"
    name = "workflow-values"
    tab_name = gettext_lazy("Values of a step")
    template = "web/workflows/values.html"

    def show(self) -> Values:
        graph = self.graph
        trigger = graph.first
        id = self.request.GET.get("node") or (trigger["id"] if trigger else "")
        answer = self.ask("GET", f"{self.place}/references", {"node": id})
        references = answer.data["references"] if answer.ok else []
        rows = [
            {**reference, "example": value_text(reference["sample"]) if reference["sample"] is not None else ""}
            for reference in references
        ]
        return {**self.head(), "values": rows, "label": label_of(graph, id)}


class CompareVersions(OneWorkflow):
    """The differences between two versions, or a version and the draft."""

    path = "workflows/<str:id>/compare"
    name = "workflow-compare"
    tab_name = gettext_lazy("Compare versions")
    tab = "workflow-versions"
    template = "web/workflows/compare.html"

    def show(self) -> Values:
        params = self.request.GET
        a, b = params.get("a") or str(self.workflow["version"] or "draft"), params.get("b") or "draft"
        return {**self.head(), "a": _version(a), "b": _version(b), **compare_versions(self, a, b)}


def compare_versions(page: OneWorkflow, a: str, b: str) -> JsonObject:
    """Return the differences between two versions, as the part changes.html shows them, or the error."""
    answer = page.ask("GET", f"{page.place}/versions/diff", {"a": a, "b": b})
    if not answer.ok:
        return {"trouble": answer.refusal}
    delta = answer.data
    graph = page.graph
    diff: JsonObject = {
        name: [_node_labels(page, entry) for entry in delta[name]] for name in ("added", "removed", "changed")
    }
    diff["changed"] = [{**entry, "changes": _changes(entry["changes"])} for entry in diff["changed"]]
    diff["edges"] = {
        name: [
            f"{label_of(graph, entry['source'])} → {label_of(graph, entry['target'])}"
            for entry in delta["edges"].get(name, ())
        ]
        for name in ("added", "removed")
    }
    same = not any((delta["added"], delta["removed"], delta["changed"], delta["settings"], *delta["edges"].values()))
    return {"diff": diff, "settings": _changes(delta["settings"]), "same": same}


def _node_labels(page: OneWorkflow, node: Values) -> JsonObject:
    """Return a node of the comparison with its label and that of its type."""
    type = page.types.get(node["type"], {}).get("label") or node["type"]
    own = node["label"] if node["label"] != node["node"] else ""
    return {**node, "label": own or type, "type": type if own else ""}


class PublishWorkflow(OneWorkflow):
    """The choice for present runs when a new version is published."""

    path = "workflows/<str:id>/publish"
    name = "workflow-publish"
    tab_name = gettext_lazy("Publish")
    template = "web/workflows/publish.html"

    def show(self) -> Values:
        if not self.may("workflow", "POST"):
            return {**self.head(), "trouble": _("You can't publish workflows.")}
        answer = self.ask("POST", f"{self.place}/publish", None, {"dryRun": True})
        if not answer.ok:
            return {**self.head(), "trouble": _("Fix the problems above the canvas first.")}
        counts = answer.data["runs"]
        options = [Option(name, label.format(counts.get(name, 0))) for name, label in RUNS.items()]
        form = Form(fields=[Field("runs", _("Runs of older versions"), "radio", options=options, initial="keep")])
        before = self.workflow["version"]
        changed = compare_versions(self, str(before), "draft") if before else {}
        return {**self.head(), "form": form, **{name: changed[name] for name in changed if name != "trouble"}}


def _changes(rows: list[Values]) -> list[dict[str, str]]:
    return [
        {"path": row["path"], "before": value_text(row["before"]), "after": value_text(row["after"])} for row in rows
    ]


def _version(text: str) -> str:
    return _("Draft") if text == "draft" else _("Version %(version)s") % {"version": text}


def label_of(graph: Graph, id: str | None) -> str:
    node = graph.find(id) if id else None
    return graph.label(node) if node else id or ""


def value_text(value: Any) -> str:
    if value in (None, {}, []):
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
