"""Pages to review a workflow before it is published: a dry run, the values of a step, two versions, and the effect
on runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.web.forms import Field, Form, Option
from core.web.records import counted
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.problems import problem_view

RUNS = {
    "keep": "They go on by the version that they began in: {} now",
    "move": "They go on by the new one, where their step is still there: {}",
    "cancel": "They end: {}",
}
"""Treatment of the runs of older versions -> its description."""
ENDS = {
    "end": "It went through to the end",
    "stop": "A step ended it",
    "error": "A step failed",
    "invalid": "Nothing of it can run yet",
    "until": "It ended at the step that you chose",
    "waiting": "It waits for something that a dry run cannot wait for",
    "tooManySteps": "It has too many steps",
    "tooLong": "It took too long",
    "busy": "Somebody else is changing the record: try it again",
}
"""End of a dry run -> its description."""
ADMISSION = ("notAdmitted", "changesUnknown")
"""Codes of the warnings that a run would not begin."""
REFUSALS = {
    "config.filter": "its “Only if” does not hold",
    "config.changedFields": "it starts only if one of the fields that its trigger names has changed",
    "config.segment": "it waits for another segment",
}
"""Path of the trigger's setting that refuses a record -> the reason."""
STATUSES = {
    "done": ("Done", "ok"),
    "failed": ("Failed", "bad"),
    "waiting": ("Waits", "info"),
    "skipped": ("Left out", ""),
}


class TryWorkflow(OneWorkflow):
    """The dry run of the draft: it shows the effects of its steps without performing them."""

    path = "workflows/<str:id>/test"
    name = tab = "workflow-test"
    template = "web/workflows/test.html"

    def form(self) -> Form:
        nodes = [Option(node["id"], self.graph.label(node)) for node in self.graph.nodes]
        panels = [Option("contact", "A contact"), Option("lead", "A lead"), Option("", "No record")]
        version = self.request.GET.get("version") or None
        panel = "lead" if str(self.workflow["triggerEventType"]).startswith("lead") else "contact"
        return Form(
            [
                Field("panel", "For", "radio", options=panels, value=panel),
                Field("who", "Name or e-mail", help="The first that is found. Empty: the newest one."),
                Field("payload", "What starts it", "textarea", help="A JSON object, found as trigger.payload."),
                Field("until", "Only until", "select", options=nodes, placeholder="The end"),
                Field("version", "Version", "number", value=version, help="Its number. Empty: the drawing as it is."),
            ]
        )

    def show(self) -> Mapping[str, Any]:
        return {**self.head(), "form": self.form() if self.may("workflow", "POST") else None}

    def do_try(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        fields = {one.name: one for one in form.fields}
        body: dict[str, Any] = {"until": fields["until"].value or None, "version": fields["version"].value}
        subject = self._subject(fields)
        trigger = self._trigger(fields["payload"])
        if any(one.error for one in form.fields):
            return self.page({**self.head(), "form": form}, status=422)
        body |= {"subject": subject and {"panel": subject[0], "_id": subject[1]["_id"]}, "trigger": trigger}
        answer = self.ask("POST", f"{self.place}/test", None, body)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({**self.head(), "form": form}, status=422)
        return self.page({**self.head(), "form": form, **self.told(answer.data, subject, self._drawn(body["version"]))})

    def _drawn(self, number: Any) -> Graph:
        """Return the graph that was run: of a version, or the draft."""
        if number is None:
            return self.graph
        drawn = self.read(f"{self.place}/versions/{number}").data["graph"]
        return Graph({**self.workflow, "nodes": drawn["nodes"], "edges": drawn["edges"]}, self.types)

    def _subject(self, fields: Mapping[str, Field]) -> tuple[str, Mapping[str, Any]] | None:
        panel, who = str(fields["panel"].value), str(fields["who"].value)
        if panel not in ("contact", "lead"):
            return None
        asked = {"p": "1", "n": "1", **({"searchValue": who} if who else {})}
        found = self.ask("GET", panel, asked)
        if not found.ok or not found.data:
            fields["who"].error = f"No {panel} is found." if found.ok else found.refusal
            return None
        return panel, found.data[0]

    def _trigger(self, field: Field) -> Any:
        try:
            found = json.loads(field.value) if field.value else None
        except (ValueError, RecursionError):
            found = ""
        if found is not None and not isinstance(found, dict):
            field.error = 'Write a JSON object, such as {"plan": "gold"}.'
        return found

    def told(
        self, found: Mapping[str, Any], subject: tuple[str, Mapping[str, Any]] | None, graph: Graph
    ) -> dict[str, Any]:
        """Return the results of the graph's dry run, as text."""
        record = subject[1] if subject else {}
        contact = record.get("contact") or record
        return {
            "found": found,
            "ended": ENDS.get(found["reason"], found["reason"]),
            "who": contact.get("name") or contact.get("email") or "",
            "steps": [self._step(one, graph) for one in found["steps"]],
            "refused": self._refused(found["warnings"], subject[0] if subject else ""),
            "wrong": [
                {**problem_view(one), "label": _label(graph, one["nodeId"])}
                for one in (*found["problems"], *found["warnings"])
                if one["code"] not in ADMISSION
            ],
        }

    def _refused(self, warnings: list[Mapping[str, Any]], panel: str) -> dict[str, str] | None:
        """Return the reason why the dry run's record would not start the workflow; None if it would."""
        one = next((one for one in warnings if one["code"] in ADMISSION), None)
        if one is None:
            return None
        starts = "would not start the workflow" if one["code"] == "notAdmitted" else "may not start the workflow"
        what = f"This {panel}" if panel else "This"
        return {"text": f"{what} {starts}: {REFUSALS[one['path']]}", "link": self.mended_at(one)}

    def _step(self, one: Mapping[str, Any], graph: Graph) -> dict[str, Any]:
        words, tone = STATUSES.get(one["status"], (one["status"], ""))
        node = graph.find(one["node"])
        error = one["error"] or {}
        return {
            **one,
            "label": _label(graph, one["node"]),
            "waited": _span(one["waits"]),
            "way": graph.words(node, one["handle"]) if node and one["handle"] not in ("", "out") else "",
            "words": words,
            "mood": tone,
            "given": _written(one["input"]),
            "made": _written(one["output"]),
            "would": _written(one["effect"]),
            "trouble": error.get("message", "") if isinstance(error, Mapping) else str(error),
        }


class StepValues(OneWorkflow):
    """The values that a step may refer to, with examples."""

    path = "workflows/<str:id>/values"
    name = "workflow-values"
    template = "web/workflows/values.html"

    def show(self) -> Mapping[str, Any]:
        graph = self.graph
        trigger = graph.first
        id = self.request.GET.get("node") or (trigger["id"] if trigger else "")
        answer = self.ask("GET", f"{self.place}/references", {"node": id})
        found = answer.data["references"] if answer.ok else []
        rows = [{**one, "example": _written(one["sample"]) if one["sample"] is not None else ""} for one in found]
        return {**self.head(), "values": rows, "label": _label(graph, id)}


class CompareVersions(OneWorkflow):
    """The differences between two versions, or a version and the draft."""

    path = "workflows/<str:id>/compare"
    name = "workflow-compare"
    tab = "workflow-versions"
    template = "web/workflows/compare.html"

    def show(self) -> Mapping[str, Any]:
        asked = self.request.GET
        a, b = asked.get("a") or str(self.workflow["version"] or "draft"), asked.get("b") or "draft"
        return {**self.head(), "a": _version(a), "b": _version(b), **compared(self, a, b)}


def compared(page: OneWorkflow, a: str, b: str) -> dict[str, Any]:
    """Return the differences between two versions, as the part changes.html shows them, or the error."""
    answer = page.ask("GET", f"{page.place}/versions/diff", {"a": a, "b": b})
    if not answer.ok:
        return {"trouble": answer.refusal}
    found, graph = answer.data, page.graph
    diff: dict[str, Any] = {
        name: [_named(page, one) for one in found[name]] for name in ("added", "removed", "changed")
    }
    diff["changed"] = [{**one, "changes": _changes(one["changes"])} for one in diff["changed"]]
    diff["edges"] = {
        name: [
            f"{_label(graph, one['source'])} → {_label(graph, one['target'])}" for one in found["edges"].get(name, ())
        ]
        for name in ("added", "removed")
    }
    same = not any((found["added"], found["removed"], found["changed"], found["settings"], *found["edges"].values()))
    return {"diff": diff, "settings": _changes(found["settings"]), "same": same}


def _named(page: OneWorkflow, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node of the comparison with its label and that of its type."""
    type = page.types.get(one["type"], {}).get("label") or one["type"]
    own = one["label"] if one["label"] != one["node"] else ""
    return {**one, "label": own or type, "type": type if own else ""}


class PublishWorkflow(OneWorkflow):
    """The choice for present runs when a new version is published."""

    path = "workflows/<str:id>/publish"
    name = "workflow-publish"
    template = "web/workflows/publish.html"

    def show(self) -> Mapping[str, Any]:
        if not self.may("workflow", "POST"):
            return {**self.head(), "trouble": "Your role does not publish workflows."}
        answer = self.ask("POST", f"{self.place}/publish", None, {"dryRun": True})
        if not answer.ok:
            return {**self.head(), "trouble": "It cannot run yet. What is to mend stands above the drawing."}
        counts = answer.data["runs"]
        options = [Option(name, words.format(counts.get(name, 0))) for name, words in RUNS.items()]
        form = Form([Field("runs", "Runs of older versions", "radio", options=options, value="keep")])
        before = self.workflow["version"]
        changed = compared(self, str(before), "draft") if before else {}
        return {**self.head(), "form": form, **{name: changed[name] for name in changed if name != "trouble"}}


def _changes(rows: list[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [{"path": one["path"], "before": _written(one["before"]), "after": _written(one["after"])} for one in rows]


def _version(text: str) -> str:
    return "the drawing" if text == "draft" else f"version {text}"


def _label(graph: Graph, id: str | None) -> str:
    node = graph.find(id) if id else None
    return graph.label(node) if node else id or ""


def _span(seconds: float | None) -> str:
    """Write how long something would wait, in the largest unit that fits."""
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds and seconds >= size:
            return counted(round(seconds / size), unit)
    return ""


def _written(value: Any) -> str:
    if value in (None, {}, []):
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
