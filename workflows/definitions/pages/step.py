"""The page of one step: its settings, its error handling, and its next steps."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.labels.counts import SPANS
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import NotPossible, problems_by_node
from core.web.flows.schema_forms import SchemaForm, Sources
from core.web.forms import Field, Form
from core.web.pages import PageError, page_not_found
from workflows.definitions.pages.draw import DrawWorkflow, counts_of
from workflows.definitions.pages.graph import SEEDS, Graph
from workflows.definitions.pages.problems import problem_view
from workflows.definitions.pages.schedules import OWN, RHYTHM, cron_from, rhythm_fields
from workflows.definitions.pages.sources import CHANGED
from workflows.definitions.pages.triggers import TriggerField
from workflows.definitions.pages.words import HELPS, LABELS, OF_TYPE, PURPOSES, WORDS

OF_TRIGGER = ("segment", "filter", CHANGED)
"""Settings of the workflow shown at its trigger; the others have a page of their own."""
OF_SEGMENTS = ("segment.entered", "segment.left")
"""Kinds of events that are of one segment."""
OF_SCHEDULE = {"cron": "cron", "every": "interval", "at": "dates", "field": "field"}
"""Setting of a schedule -> the type for which it is."""


class Step(DrawWorkflow):
    """A step of the workflow, with the forms of its settings."""

    path = "workflows/<str:id>/step"
    name = "workflow-step"
    tab_name = gettext_lazy("Step")
    record_kind = ("", "")
    template = "web/workflows/step.html"

    @property
    def requested_node_id(self) -> str:
        return self.request.POST.get("node") or self.request.GET.get("node", "")

    @cached_property
    def node(self) -> Values:
        graph = self.graph
        step = graph.find(self.requested_node_id) if self.requested_node_id else graph.first
        if step is None:
            raise page_not_found()
        return step

    @property
    def is_trigger(self) -> bool:
        return bool(self.node["type"] == "trigger")

    @property
    def node_address(self) -> str:
        return self.step_address(self.node["id"])

    # The forms

    @cached_property
    def own_sources(self) -> Sources:
        sources = self.sources(self.node, self.graph)
        sources.labels = {**LABELS, **OF_TYPE.get(self.node["type"], {})}
        sources.words = WORDS
        sources.helps = HELPS
        sources.zone = zone_of(self.reader.formats.timezone)
        updates = [kind for kind in self.triggers if kind.endswith(".updated")]
        sources.shown_if = {
            f"config.{CHANGED}": {"triggerEventType": updates},
            "config.segment": {"triggerEventType": list(OF_SEGMENTS)},
            **{f"schedule.{name}": {"schedule.type": [type]} for name, type in OF_SCHEDULE.items()},
            "schedule.cron": {"schedule.type": ["cron"], RHYTHM: [OWN]},
        }
        return sources

    @cached_property
    def forms(self) -> list[SchemaForm]:
        """The forms of the settings, in the order of the page."""
        tree = self.request.POST.get("tree") or self.request.GET.get("tree", "")
        settings = self.catalogue["settings"]
        if not self.is_trigger:
            data = self.node["data"]
            node_type = self.types.get(self.node["type"])
            schema = node_type["schema"] if node_type else {"properties": {}}
            return [
                SchemaForm(schema, data.get("config") or self.first_values(schema), self.own_sources, tree=tree),
                SchemaForm(settings["onError"], data.get("onError") or {}, self.own_sources, root="onError", tree="-"),
            ]
        properties = settings["config"]["properties"]
        own = {name: properties[name] for name in OF_TRIGGER}
        own["segment"] = {**own["segment"], "description": "", "x-source": "/segment"}
        own["filter"] = {**own["filter"], "x-widget": "tree", "description": ""}
        own[CHANGED] = {**own[CHANGED], "x-widget": CHANGED}
        config = {**settings["config"], "properties": own, "required": []}
        values = self.workflow["config"]
        first = SchemaForm(config, values, self.own_sources, tree=tree)
        schedule = self.workflow["schedule"] or {"type": "cron"}
        timed = settings["schedule"]
        zone = {**timed["properties"]["timezone"], "x-widget": "timezone"}
        # The type of the schedule asks for it already: it needs no switch of its own.
        date = {**timed["properties"]["field"], "anyOf": timed["properties"]["field"]["anyOf"][:1]}
        timed = {**timed, "properties": {**timed["properties"], "timezone": zone, "field": date}}
        second = SchemaForm(timed, schedule, self.own_sources, root="schedule", tree=tree)
        return [first, second]

    def first_values(self, schema: Values) -> JsonObject:
        """Return the initial values of a new step's form: the panel lead if leads start the workflow."""
        is_of_lead = str(self.workflow["triggerEventType"]).startswith("lead.")
        return {"panel": "lead"} if is_of_lead and "panel" in schema.get("properties", {}) else {}

    def own_form(self) -> Form:
        """Return the fields that no schema has."""
        data = self.node["data"]
        if self.is_trigger:
            now = self.workflow["triggerEventType"]
            return Form(fields=[TriggerField(gettext("Trigger"), self.triggers, now, required=True)])
        fields = [
            Field(
                "label", gettext("Name"), initial=data.get("label") or "", placeholder=self.graph.type_label(self.node)
            ),
            Field("disabled", gettext("Disable this step"), "switch", initial=data.get("disabled") is True),
            Field("note", gettext("Comment"), "textarea", initial=data.get("note") or ""),
        ]
        return Form(fields=fields)

    def show(self) -> Values:
        return self.context(self.forms, self.own_form())

    def context(self, forms: list[SchemaForm], own_form: Form, **more: Any) -> JsonObject:
        graph, node = self.graph, self.node
        node_type = self.types.get(node["type"], {})
        problems = self.mark_problems(forms)
        self._fit_switches(forms)
        return {
            **self.head(),
            "title": graph.label(node),
            "node": node,
            "is_trigger": self.is_trigger,
            "type": node_type.get("label") or node["type"],
            "about": gettext("Starts the workflow.") if self.is_trigger else PURPOSES.get(node["type"], ""),
            "unknown": not node_type,
            "forms": forms,
            "fields": {field.name: field for field in own_form},
            "own": problems,
            "rhythm": rhythm_fields(self.workflow["schedule"] or {}) if self.is_trigger else (),
            "policy_open": any(part.error or (part.field and part.field.error) for part in forms[1].all_parts()),
            "tree": next((form.tree for form in forms if form.tree not in ("", "-")), ""),
            "opened": fingerprint(node["data"], self.workflow if self.is_trigger else {}),
            "references": self.references(node, graph),
            "ways": self.ways(graph, node),
            "targets": [(entry["id"], graph.label(entry)) for entry in graph.nodes if entry["id"] != node["id"]],
            "places": graph.places(but=node["id"]),
            "came_from": [graph.label(graph.need(edge["source"])) for edge in graph.edges_into(node["id"])],
            "hook": self.workflow["hookPath"] if self.is_trigger else "",
            "here": self.node_address,
            "flow": self.flow(graph),
            "can_change": self.may_change,
            "runs": self.runs_here(),
            **more,
        }

    def mark_problems(self, forms: list[SchemaForm]) -> list[Values]:
        """Put the node's problems at their settings. Returns those that belong to none."""
        by_node = problems_by_node(self.workflow["validation"])
        own = list(by_node.get(self.node["id"], ()))
        if self.is_trigger:
            own += [problem for problem in by_node.get("", ()) if self.mended_at(problem) == self.node_address]
        if self.is_fresh and not self.request.POST:
            own = [problem for problem in own if not problem["path"].startswith("config")]
        marked = []
        for problem in own:
            message = problem_view(problem, self.node)["message"]
            marked.append(any(form.mark(problem["path"], message) for form in forms))
        return [self.problem_row(problem, self.node) for problem, done in zip(own, marked, strict=True) if not done]

    @property
    def is_fresh(self) -> bool:
        """Return whether the step's form is unsaved since the step was added."""
        data = self.node["data"]
        return not self.is_trigger and data.get("config") == SEEDS.get(self.node["type"])

    def _fit_switches(self, forms: list[SchemaForm]) -> None:
        """Show conditions for one setting at a time: the others are shown as text with a link."""
        trees = [part for form in forms for part in form.all_parts() if part.kind == "tree"]
        active = self.request.GET.get("tree") or self.request.POST.get("tree") or ""
        paths = [part.path for part in trees]
        chosen_path = active if active in paths else next(iter(paths), "")
        for form in forms:
            form.tree = chosen_path

    def ways(self, graph: Graph, node: Values) -> list[JsonObject]:
        """Return each handle with its targets."""
        connections = []
        for handle in graph.handles(node["id"]):
            edges = [
                {"id": edge["id"], "label": graph.label(target)}
                for edge in graph.edges_from(node["id"], handle)
                if (target := graph.find(edge["target"])) is not None
            ]
            connections.append({"handle": handle, "words": graph.words(node, handle), "edges": edges})
        return connections

    def runs_here(self) -> JsonObject | None:
        """Return the number of runs at the step, its duration, and the link to the runs that have failed here."""
        counts = self.overlay.get(self.node["id"])
        if not counts:
            return None
        took = counts["took"]
        only = ("status:in:failed", f"errorNode:equals:{self.node['id']}")
        return {
            "counts": counts_of(counts),
            "failed": counts["now"].get("failed", 0),
            "took": {name: duration_text(ms) for name, ms in took.items()} if took else None,
            "link": self.address("workflow-runs-of", self.params["id"], f=only),
        }

    # What the forms do

    def do_redrive(self) -> HttpResponse:
        """Try all runs again that have failed at the step, by one job."""
        filters = {"workflow": self.params["id"], "errorNode": self.node["id"], "status": "failed"}
        version = "latest" if "latest" in self.request.POST else "same"
        body = {"selectAll": True, "from": "failed", "version": version}
        answer = self.ask("POST", "workflow/runs/redrive", {"filters": filters}, body)
        if not answer.ok:
            return self.refuse(answer, self.node_address)
        return self.redirect_with_toast(gettext("Retrying failed runs"), self.node_address, watch=answer.job)

    def do_save(self) -> HttpResponse:
        """Save the settings. If the step has been changed since the form was opened, ask first."""
        if not self.may("workflow", "PUT"):
            raise PageError(403, gettext("You can't change workflows"))
        opened_fingerprint = fingerprint(self.node["data"], self.workflow if self.is_trigger else {})
        form_data = self.request.POST
        theirs = (
            form_data.get("opened", opened_fingerprint) != opened_fingerprint and form_data.get("do") != "overwrite"
        )
        self._fit_switches(self.forms)
        values = [form.read(form_data) for form in self.forms]
        own_form = self.own_form().bind(form_data)
        if theirs:
            clash = {"who": self.changed_by, "at": self.workflow["updatedAt"]}
            return self.page({**self.context(self.forms, own_form, clash=clash)}, status=422)
        answer = self._save(values, own_form.values)
        if not answer.ok:
            return self.page(self.context(self.forms, own_form, trouble=answer.refusal), status=422)
        if any(form.wrong for form in self.forms):
            del self.node, self.own_sources
            forms = self.forms
            return self.page(self.context(forms, own_form, trouble=gettext("One value could not be read.")), status=422)
        return self._redirect_after_save(answer)

    do_overwrite = do_save

    def _redirect_after_save(self, answer: Answer) -> HttpResponse:
        """Stay where conditions or rows were changed, or on the canvas; else go back to the drawing or the list."""
        form_data = self.request.POST
        stays = any(form_data.get(name) for name in ("stay", "add", "drop", "match", "drop_row", "more", "edit_tree"))
        if form_data.get("edit_tree"):
            return self.redirect_with_toast("", f"{self.node_address}&{urlencode({'tree': form_data['edit_tree']})}")
        if stays or any(form_data.getlist(name) for name in form_data if name.startswith("value-") and form_data[name]):
            active = f"&{urlencode({'tree': form_data['tree']})}" if form_data.get("tree") else ""
            return self.redirect_with_toast("", f"{self.node_address}{active}")
        return self.redirect_with_toast(gettext("Saved"), f"{self.home}#step-{self.node['id']}")

    def _save(self, values: list[JsonObject], own: Values) -> Answer:
        if self.is_trigger:
            config = {name: value for name, value in self.workflow["config"].items() if name not in OF_TRIGGER}
            body: JsonObject = {"triggerEventType": own["triggerEventType"], "config": {**config, **values[0]}}
            if own["triggerEventType"] == "schedule":
                cron = cron_from(self.request.POST) if values[1].get("type") == "cron" else None
                body["schedule"] = {**values[1], **({"cron": cron} if cron else {})}
            answer = self.ask("PUT", self.place, None, body)
            if answer.ok:
                self.workflow = answer.data
            return answer
        id = self.node["id"]

        def put(graph: Graph) -> None:
            data = graph.need(id)["data"]
            settings = {"label": own["label"], "note": own["note"], "disabled": own["disabled"], "config": values[0]}
            settings["onError"] = values[1] if values[1] != {"then": "fail"} else None
            for name, value in settings.items():
                if value or name == "config":
                    data[name] = value
                else:
                    data.pop(name, None)

        try:
            answer, _ = self.change(put)
        except NotPossible as error:
            raise PageError(404, gettext("This step was deleted"), str(error)) from None
        return answer

    def do_connect(self) -> HttpResponse:
        handle, target = self.request.POST.get("handle", ""), self.request.POST.get("target", "")
        id = self.node["id"]
        if not target:
            return self.fail(gettext("Choose a step first"), self.node_address)
        return self.apply_change(
            lambda graph: graph.connect(id, handle, target), gettext("Connected"), self.node_address
        )

    def do_disconnect(self) -> HttpResponse:
        edge = self.request.POST.get("edge", "")
        return self.apply_change(lambda graph: graph.disconnect(edge), gettext("Disconnected"), self.node_address)

    def do_move(self) -> HttpResponse:
        after, _, handle = self.request.POST.get("place", "").rpartition("/")
        id = self.node["id"]
        if not after:
            return self.fail(gettext("Choose a place first"), self.node_address)
        return self.apply_change(lambda graph: graph.move(id, after, handle), gettext("Step moved"), self.node_address)


def duration_text(milliseconds: float) -> str:
    """Return the duration in the largest unit in which it is at least one."""
    for size, unit in ((86_400_000, "days"), (3_600_000, "hours"), (60_000, "minutes"), (1000, "seconds")):
        if milliseconds >= size:
            amount = float(f"{milliseconds / size:.2g}")
            return SPANS[unit].of(int(amount) if amount.is_integer() else amount)
    return f"{milliseconds:.0f} ms"


def fingerprint(data: Values, workflow: Values) -> str:
    """Return a hash that changes with the settings of a step."""
    about = [data, *(workflow.get(name) for name in ("triggerEventType", "config", "schedule"))]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]
