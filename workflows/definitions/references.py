"""Values that a node of a draft may refer to: paths of expressions, with an example each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.utils import timezone

from accounts.models import Company
from core.errors import NamedError
from core.events.kinds import module_of
from core.models import Event
from core.tenancy import company_id
from core.text.json import format_iso
from core.types import JsonObject, Values
from crm.records.types import RECORD_TYPES, kind_of
from workflows.engine.models import RunStep, WorkflowRun
from workflows.engine.read_rights import reads_of_run
from workflows.engine.subjects import values_of
from workflows.expressions.records import CONTACT, FIRST_NAME, ORGANIZATION
from workflows.graphs.drafts import compile_draft
from workflows.graphs.events import SCHEDULE, TRIGGER_EVENTS
from workflows.graphs.models import Workflow
from workflows.graphs.plan import Node, Plan, loop_body
from workflows.graphs.rights import PANELS
from workflows.graphs.validation import comes_always
from workflows.nodes.base import is_larger

MAX_REFERENCES = 100
MAX_DEPTH = 3
"""The most paths of one JSON value, and the deepest."""
MAX_SAMPLE = 300
"""Characters of an example."""
TYPES = {
    "text": "text",
    "varchar": "text",
    "boolean": "boolean",
    "timestamptz": "date",
    "date": "date",
    "integer": "number",
    "numeric": "number",
    "jsonb": "object",
}
Reference = JsonObject
MayRead = Callable[[str], bool]
"""Returns whether the reader may read a module."""


def references_at(workflow: Workflow, graph: Values, node_id: str, may_read: MayRead) -> list[Reference]:
    """Return the possible references of a node of the draft, with examples that the reader may see.

    Those of runs are for readers of both panels and of the run's events, as the values of runs are on pages.

    Raises InvalidInput_400 for an unknown node.
    """
    if node_id not in {node["id"] for node in graph["nodes"]}:
        raise NamedError("InvalidInput_400", f"the draft has no node {node_id[:64]!r}", field="node")
    run = _example_run(workflow, may_read)
    plan = compile_draft(graph).plan
    references: list[Reference] = []
    kind = graph["triggerEventType"]
    for panel in PANELS:
        references += _of_records(panel, _has(panel, kind, graph), may_read(panel))
    references += _of_records(ORGANIZATION, False, may_read(CONTACT))
    references += _of_trigger(kind, _trigger_example(kind, run, may_read))
    if plan is not None:
        references += _of_steps(plan, plan.nodes[node_id], _outputs(graph, run))
    references += _of_loop(plan, node_id)
    references += _of_run(workflow)
    return references


def _example_run(workflow: Workflow, may_read: MayRead) -> WorkflowRun | None:
    """Return the latest run of the workflow, if the reader may read the values that it holds."""
    if not all(may_read(panel) for panel in PANELS):
        return None
    run = WorkflowRun.objects.filter(workflow=workflow.pk).order_by("-created_at", "-pk").first()
    modules = set() if run is None else {read.partition(".")[0] for read in reads_of_run(run)}
    return run if all(may_read(module) for module in modules) else None


def _reference(path: str, type: str, sample: Any = None, always: bool = True) -> Reference:
    return {"path": path, "type": type, "sample": _shorten_sample(sample), "always": always}


def _shorten_sample(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MAX_SAMPLE else f"{value[: MAX_SAMPLE - 1]}…"
    return value if not is_larger(value, MAX_SAMPLE) else None


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names: dict[type, str] = {str: "text", int: "number", float: "number", list: "list", dict: "object"}
    return names.get(type(value), "any")


def _has(panel: str, kind: str, graph: Values) -> bool:
    """Return whether each run has a record of the panel, by the trigger."""
    resource = kind.partition(".")[0]
    if kind == SCHEDULE:
        audience = (graph.get("schedule") or {}).get("audience")
        resource = audience.get("panel", "contact") if isinstance(audience, dict) else ""
    return resource == panel or (panel == "contact" and resource == "lead")


def _of_records(panel: str, always: bool, shown: bool) -> Iterator[Reference]:
    """Yield the fields of a panel's records; the newest one is the example."""
    kind = kind_of(panel)
    schema = RECORD_TYPES[panel].schema.load()
    newest = kind.live().order_by("-created_at", "-pk").values_list("pk", flat=True).first() if shown else None
    example = values_of(panel, [newest])[newest] if newest is not None else {}
    types = {
        "_id": "id",
        **{column.api_name: TYPES.get(column.type, "text") for column in kind.columns if column.api_name},
    }
    if panel == CONTACT:
        types.setdefault(FIRST_NAME, "text")
    types |= {key: spec.value_type.name for key, spec in schema.fields.items()} | {"createdAt": "date"}
    for name, type in types.items():
        yield _reference(f"{panel}.{name}", type, example.get(name), always)


def _trigger_example(kind: str, run: WorkflowRun | None, may_read: MayRead) -> JsonObject:
    """Return the trigger of the latest run, or else the latest event of the kind."""
    if run is not None and run.trigger.get("kind") == kind:
        return dict(run.trigger)
    is_shown = kind in TRIGGER_EVENTS and may_read(module_of(kind))
    event = Event.objects.filter(kind=kind).order_by("-sequence").first() if is_shown else None
    return {} if event is None else {"objectId": event.object_id, "payload": event.payload}


def _of_trigger(kind: str, example: Values) -> Iterator[Reference]:
    yield _reference("trigger.kind", "text", kind)
    yield _reference("trigger.happenedAt", "date", example.get("happenedAt"))
    if kind in TRIGGER_EVENTS:
        yield _reference("trigger.objectId", "id", example.get("objectId"))
    for name in ("payload", "input"):
        yield from _paths(f"trigger.{name}", example.get(name) or {}, always=False)


def _paths(path: str, value: Any, *, always: bool) -> list[Reference]:
    """Return the possible references into a JSON value."""
    references: list[Reference] = []
    open = [(path, value, 0)]
    while open and len(references) < MAX_REFERENCES:
        place, part, depth = open.pop(0)
        references.append(_reference(place, _type_of(part), part, always))
        if isinstance(part, dict) and depth < MAX_DEPTH:
            open += [(f"{place}.{key}", item, depth + 1) for key, item in part.items() if _fits(key)]
    return references


def _fits(key: str) -> bool:
    """Return whether an expression can name the key."""
    return 0 < len(key) <= 100 and all(letter.isalnum() or letter in "_-" for letter in key)


def _outputs(graph: Values, run: WorkflowRun | None) -> JsonObject:
    """Return node -> its pinned output, or its output in the latest run."""
    steps = RunStep.objects.filter(run=run, output__isnull=False) if run is not None else RunStep.objects.none()
    outputs = dict(steps.order_by("visit").values_list("node", "output")[:1000])
    for node in graph["nodes"]:
        pinned = node["data"].get("pinned")
        if isinstance(pinned, dict) and pinned.get("output") is not None:
            outputs[node["id"]] = pinned["output"]
    return outputs


def _of_steps(plan: Plan, node: Node, outputs: Values) -> Iterator[Reference]:
    """Yield the outputs of the nodes above, and the variables that they set."""
    above = sorted((step for step in plan.nodes.values() if node.id in step.reach), key=lambda step: step.order)
    variables: dict[str, Reference] = {}
    for step in above:
        if step.disabled:
            continue
        always = comes_always(plan, step.id, node.id)
        output = outputs.get(step.id)
        values = output if isinstance(output, dict) else {}
        for name, type in step.type.outputs.items():
            yield _reference(f"steps.{step.id}.{name}", type, values.get(name), always)
        for name, value in values.items():
            if name not in step.type.outputs and _fits(name) and step.type.type != "set":
                yield from _paths(f"steps.{step.id}.{name}", value, always=False)
        if step.type.type == "set":
            for name in step.config.values:
                before = variables.get(name, {}).get("always", False)
                example = values.get(name)
                variables[name] = _reference(f"vars.{name}", _type_of(example), example, always or before)
    yield from variables.values()


def _of_loop(plan: Plan | None, node_id: str) -> Iterator[Reference]:
    loops = [] if plan is None else [node for node in plan.nodes.values() if node.is_loop]
    if any(node_id in loop_body(plan.nodes, loop.id) for loop in loops if plan is not None):
        yield _reference("loop.item", "any")
        yield _reference("loop.index", "number", 0)


def _of_run(workflow: Workflow) -> list[Reference]:
    company = Company.objects.values("name", "timezone").get(pk=company_id())
    return [
        _reference("run._id", "id"),
        _reference("run.workflow", "id", workflow.pk),
        _reference("run.startedAt", "date"),
        _reference("company._id", "id", company_id()),
        _reference("company.name", "text", company["name"]),
        _reference("company.timezone", "text", str(company["timezone"])),
        _reference("now", "date", format_iso(timezone.now())),
    ]
