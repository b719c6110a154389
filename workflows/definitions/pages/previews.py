"""Pages to review a workflow before it is published: a dry run, the values of a step, two versions, and the effect
on runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.counts import SPANS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import BoundField, Field, Form, Option
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.problems import problem_view

RUNS = {
    "keep": gettext_lazy("Keep their version ({} now)"),
    "move": gettext_lazy("Move to the new version ({})"),
    "cancel": gettext_lazy("End ({})"),
}
"""Treatment of the runs of older versions -> its description."""
NOT_FOUND = {"contact": gettext_lazy("No contact is found."), "lead": gettext_lazy("No lead is found.")}
ENDS = {
    "end": gettext_lazy("Completed"),
    "stop": gettext_lazy("Ended by a step"),
    "error": gettext_lazy("A step failed"),
    "invalid": gettext_lazy("No step can run yet"),
    "until": gettext_lazy("Ended at the chosen step"),
    "waiting": gettext_lazy("A dry run can't wait for this step"),
    "tooManySteps": gettext_lazy("Too many steps"),
    "tooLong": gettext_lazy("Took too long"),
    "busy": gettext_lazy("The record is being changed. Try again."),
}
"""End of a dry run -> its description."""
ADMISSION = ("notAdmitted", "changesUnknown")
"""Codes of the warnings that a run would not begin."""
REFUSALS = {
    "config.filter": gettext_lazy("its “Only if” condition does not match"),
    "config.changedFields": gettext_lazy("no field of its trigger has changed"),
    "config.segment": gettext_lazy("it uses another segment"),
}
"""Path of the trigger's setting that refuses a record -> the reason."""
STATUSES = {
    "done": (gettext_lazy("Done"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "waiting": (gettext_lazy("Waits"), "info"),
    "skipped": (gettext_lazy("Skipped"), ""),
}


class TryWorkflow(OneWorkflow):
    """The dry run of the draft: it shows the effects of its steps without performing them."""

    path = "workflows/<str:id>/test"
    name = tab = "workflow-test"
    tab_name = gettext_lazy("Try the workflow")
    template = "web/workflows/test.html"

    def form(self) -> Form:
        nodes = [Option(node["id"], self.graph.label(node)) for node in self.graph.nodes]
        panels = [Option("contact", _("A contact")), Option("lead", _("A lead")), Option("", _("No record"))]
        version = self.request.GET.get("version") or None
        panel = "lead" if str(self.workflow["triggerEventType"]).startswith("lead") else "contact"
        return Form(
            fields=[
                Field("panel", _("Record"), "radio", options=panels, initial=panel),
                Field("who", _("Name or email"), help_text=_("Uses the first match. Leave empty for the newest one.")),
                Field("payload", _("Trigger"), "textarea", help_text=_("A JSON object, available as trigger.payload.")),
                Field("until", _("Stop at step"), "select", options=nodes, placeholder=_("The end")),
                Field(
                    "version",
                    _("Version"),
                    "number",
                    initial=version,
                    help_text=_("A version number. Leave empty for the current draft."),
                ),
            ]
        )

    def show(self) -> Values:
        return {**self.head(), "form": self.form() if self.may("workflow", "POST") else None}

    def do_try(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        body: JsonObject = {"until": form["until"].value() or None, "version": form["version"].value()}
        subject = self._subject(form)
        trigger = self._trigger(form["payload"])
        if not form.is_valid():
            return self.page({**self.head(), "form": form}, status=422)
        body |= {"subject": subject and {"panel": subject[0], "_id": subject[1]["_id"]}, "trigger": trigger}
        answer = self.ask("POST", f"{self.place}/test", None, body)
        if not answer.ok:
            form.refuse(answer, lambda path: "version" if path == "number" else path)
            return self.page({**self.head(), "form": form}, status=422)
        return self.page(
            {**self.head(), "form": form, **self.result_view(answer.data, subject, self._drawn(body["version"]))}
        )

    def _drawn(self, number: Any) -> Graph:
        """Return the graph that was run: of a version, or the draft."""
        if number is None:
            return self.graph
        drawn = self.read(f"{self.place}/versions/{number}").data["graph"]
        return Graph({**self.workflow, "nodes": drawn["nodes"], "edges": drawn["edges"]}, self.types)

    def _subject(self, form: Form) -> tuple[str, Values] | None:
        panel, who = str(form["panel"].value()), str(form["who"].value())
        if panel not in ("contact", "lead"):
            return None
        params = {"p": "1", "n": "1", **({"searchValue": who} if who else {})}
        response = self.ask("GET", panel, params)
        if not response.ok or not response.data:
            form.add_error("who", NOT_FOUND[panel] if response.ok else response.refusal)
            return None
        return panel, response.data[0]

    def _trigger(self, field: BoundField) -> Any:
        try:
            payload = json.loads(field.value()) if field.value() else None
        except (ValueError, RecursionError):
            payload = ""
        if payload is not None and not isinstance(payload, dict):
            field.add_error(_('Write a JSON object, such as {"plan": "gold"}.'))
        return payload

    def result_view(self, dry_run: Values, subject: tuple[str, Values] | None, graph: Graph) -> JsonObject:
        """Return the results of the graph's dry run, as text."""
        record = subject[1] if subject else {}
        contact = record.get("contact") or record
        return {
            "found": dry_run,
            "ended": ENDS.get(dry_run["reason"], dry_run["reason"]),
            "who": contact.get("name") or contact.get("email") or "",
            "steps": [self._step(entry, graph) for entry in dry_run["steps"]],
            "refused": self._refused(dry_run["warnings"]),
            "wrong": [
                {**problem_view(entry, graph.find(entry["nodeId"])), "label": _label(graph, entry["nodeId"])}
                for entry in (*dry_run["problems"], *dry_run["warnings"])
                if entry["code"] not in ADMISSION
            ],
        }

    def _refused(self, warnings: list[Values]) -> dict[str, str] | None:
        """Return the reason why the dry run's record would not start the workflow; None if it would."""
        warning = next((warning for warning in warnings if warning["code"] in ADMISSION), None)
        if warning is None:
            return None
        text = (
            _("This record would not start the workflow: %(reason)s.")
            if warning["code"] == "notAdmitted"
            else _("This record may not start the workflow: %(reason)s.")
        )
        return {"text": text % {"reason": REFUSALS[warning["path"]]}, "link": self.mended_at(warning)}

    def _step(self, step: Values, graph: Graph) -> JsonObject:
        label, tone = STATUSES.get(step["status"], (step["status"], ""))
        node = graph.find(step["node"])
        error = step["error"] or {}
        return {
            **step,
            "label": _label(graph, step["node"]),
            "waited": _span(step["waits"]),
            "way": graph.words(node, step["handle"]) if node and step["handle"] not in ("", "out") else "",
            "words": label,
            "mood": tone,
            "given": _written(step["input"]),
            "made": _written(step["output"]),
            "would": _written(step["effect"]),
            "trouble": error.get("message", "") if isinstance(error, Mapping) else str(error),
        }


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
            {**reference, "example": _written(reference["sample"]) if reference["sample"] is not None else ""}
            for reference in references
        ]
        return {**self.head(), "values": rows, "label": _label(graph, id)}


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
        return {**self.head(), "a": _version(a), "b": _version(b), **compared(self, a, b)}


def compared(page: OneWorkflow, a: str, b: str) -> JsonObject:
    """Return the differences between two versions, as the part changes.html shows them, or the error."""
    answer = page.ask("GET", f"{page.place}/versions/diff", {"a": a, "b": b})
    if not answer.ok:
        return {"trouble": answer.refusal}
    delta, graph = answer.data, page.graph
    diff: JsonObject = {
        name: [_named(page, entry) for entry in delta[name]] for name in ("added", "removed", "changed")
    }
    diff["changed"] = [{**entry, "changes": _changes(entry["changes"])} for entry in diff["changed"]]
    diff["edges"] = {
        name: [
            f"{_label(graph, entry['source'])} → {_label(graph, entry['target'])}"
            for entry in delta["edges"].get(name, ())
        ]
        for name in ("added", "removed")
    }
    same = not any((delta["added"], delta["removed"], delta["changed"], delta["settings"], *delta["edges"].values()))
    return {"diff": diff, "settings": _changes(delta["settings"]), "same": same}


def _named(page: OneWorkflow, node: Values) -> JsonObject:
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
        changed = compared(self, str(before), "draft") if before else {}
        return {**self.head(), "form": form, **{name: changed[name] for name in changed if name != "trouble"}}


def _changes(rows: list[Values]) -> list[dict[str, str]]:
    return [{"path": row["path"], "before": _written(row["before"]), "after": _written(row["after"])} for row in rows]


def _version(text: str) -> str:
    return _("Draft") if text == "draft" else _("Version %(version)s") % {"version": text}


def _label(graph: Graph, id: str | None) -> str:
    node = graph.find(id) if id else None
    return graph.label(node) if node else id or ""


def _span(seconds: float | None) -> str:
    """Write how long something would wait, in the largest unit that fits."""
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds")):
        if seconds and seconds >= size:
            return SPANS[unit].of(round(seconds / size))
    return ""


def _written(value: Any) -> str:
    if value in (None, {}, []):
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
