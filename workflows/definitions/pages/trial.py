"""The page that tries a workflow with a real record: a dry run, which shows the effects of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import orjson
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _

from core.text.labels.counts import SPANS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import BoundField, Field, Form, Option
from core.web.lists import ListState
from workflows.definitions.pages.base import OneWorkflow
from workflows.definitions.pages.graph import Graph
from workflows.definitions.pages.previews import label_of, value_text
from workflows.definitions.pages.trial_records import MAX_FIND, Offer, offer_of

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
ADVANCED = ("payload", "version")
"""Fields of the form that are folded."""
ADMISSION = ("notAdmitted", "changesUnknown")
"""Codes of the warnings that a run would not begin."""
REFUSALS = {
    "config.filter": gettext_lazy("the “Only if” condition does not match"),
    "config.changedFields": gettext_lazy("no field of the trigger has changed"),
    "config.segment": gettext_lazy("the trigger uses another segment"),
}
"""Path of the trigger's setting that refuses a record -> the reason."""
STATUSES = {
    "done": (gettext_lazy("Completed"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "waiting": (gettext_lazy("Waiting"), "info"),
    "skipped": (gettext_lazy("Skipped"), ""),
}


class TryWorkflow(OneWorkflow):
    """The dry run of the draft: it shows the effects of its steps without performing them."""

    path = "workflows/<str:id>/test"
    name = tab = "workflow-test"
    tab_name = gettext_lazy("Try the workflow")
    template = "web/workflows/test.html"

    @cached_property
    def offer(self) -> Offer:
        """The records to choose from."""
        return offer_of(self, self.workflow, self.find)

    @property
    def find(self) -> str:
        # The form keeps the search by which its records were found.
        text = self.request.POST.get("q", self.request.GET.get("q", ""))
        return " ".join(text.split())[:MAX_FIND]

    def form(self) -> Form:
        nodes = [Option(node["id"], self.graph.label(node)) for node in self.graph.nodes]
        version = self.request.GET.get("version") or None
        records = [*self.offer.options, Option("", _("No record"))]
        fields = [
            Field("until", _("Stop at step"), "select", options=nodes, placeholder=_("The end")),
            Field("payload", _("Trigger"), "textarea", help_text=_("A JSON object, available as trigger.payload.")),
            Field(
                "version",
                _("Version"),
                "number",
                initial=version,
                help_text=_("A version number. Leave empty for the current draft."),
            ),
        ]
        if self.offer.lists:
            record = Field("record", _("Record"), "radio", options=records, initial=records[0].value)
            fields.insert(0, record)
        return Form(fields=fields)

    def show(self) -> Values:
        return self.with_form(self.form() if self.may("workflow", "POST") else None)

    def with_form(self, form: Form | None) -> JsonObject:
        """Return the data of the page with the form, and with the search for records."""
        return {
            **self.head(),
            "form": form,
            "advanced": [form[name] for name in ADVANCED] if form else [],
            "advanced_open": form is not None and any(form[name].value() or form[name].error for name in ADVANCED),
            "offer": self.offer,
            "state": ListState(QueryDict(urlencode({"q": self.find})), {}),
        }

    def do_try(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        body: JsonObject = {"until": form["until"].value() or None, "version": form["version"].value()}
        trigger = self._trigger(form["payload"])
        if not form.is_valid():
            return self.page(self.with_form(form), status=422)
        record = str(form["record"].value() or "") if self.offer.lists else ""
        body |= {"record": record or None, "trigger": trigger}
        answer = self.ask("POST", f"{self.place}/test", None, body)
        if not answer.ok:
            form.refuse(answer, lambda path: "version" if path == "number" else path)
            return self.page(self.with_form(form), status=422)
        graph = self._run_graph(body["version"])
        return self.page({**self.with_form(form), **self.result_view(answer.data, record, graph)})

    def _run_graph(self, number: Any) -> Graph:
        """Return the graph that was run: of a version, or the draft."""
        if number is None:
            return self.graph
        graph = self.read(f"{self.place}/versions/{number}").data["graph"]
        return Graph({**self.workflow, "nodes": graph["nodes"], "edges": graph["edges"]}, self.types)

    def _trigger(self, field: BoundField) -> Any:
        try:
            payload = orjson.loads(field.value()) if field.value() else None
        except (ValueError, RecursionError):
            payload = ""
        if payload is not None and not isinstance(payload, dict):
            field.add_error(_('Write a JSON object, such as {"plan": "gold"}.'))
        return payload

    def result_view(self, dry_run: Values, record: str, graph: Graph) -> JsonObject:
        """Return the results of the graph's dry run, as text."""
        labels = (option.label for option in self.offer.options if option.value == record)
        return {
            "found": dry_run,
            "ended": ENDS.get(dry_run["reason"], dry_run["reason"]),
            "who": next(labels, "") if record else "",
            "steps": [self._step(entry, graph) for entry in dry_run["steps"]],
            "refused": self._refusal_notice(dry_run["warnings"]),
            "wrong": [
                {**self.problem_row(entry, self.graph.find(entry["nodeId"])), "label": label_of(graph, entry["nodeId"])}
                for entry in (*dry_run["problems"], *dry_run["warnings"])
                if entry["code"] not in ADMISSION
            ],
        }

    def _refusal_notice(self, warnings: list[Values]) -> dict[str, str] | None:
        """Return the reason why the dry run's record would not start the workflow; None if it would."""
        warning = next((warning for warning in warnings if warning["code"] in ADMISSION), None)
        if warning is None:
            return None
        text = (
            _("This record would not start the workflow: %(reason)s.")
            if warning["code"] == "notAdmitted"
            else _("This record might not start the workflow: %(reason)s.")
        )
        return {"text": text % {"reason": REFUSALS[warning["path"]]}, "link": self.problem_row(warning, None)["link"]}

    def _step(self, step: Values, graph: Graph) -> JsonObject:
        label, tone = STATUSES.get(step["status"], (step["status"], ""))
        node = graph.find(step["node"])
        error = step["error"] or {}
        return {
            **step,
            "label": label_of(graph, step["node"]),
            "waited": _span(step["waits"]),
            "way": graph.words(node, step["handle"]) if node and step["handle"] not in ("", "out") else "",
            "words": label,
            "mood": tone,
            "given": value_text(step["input"]),
            "made": value_text(step["output"]),
            "would": value_text(step["effect"]),
            "trouble": error.get("message", "") if isinstance(error, Mapping) else str(error),
        }


def _span(seconds: float | None) -> str:
    """Write how long something would wait, in the largest unit that fits."""
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds")):
        if seconds and seconds >= size:
            return SPANS[unit].of(round(seconds / size))
    return ""
