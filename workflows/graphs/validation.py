"""Validation of a draft: all of its problems at once, by node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils import timezone
from pydantic import ValidationError

from core.errors import NamedError
from core.lists import tree
from core.lists.values import UNKNOWN_FIELD
from core.types import Values
from crm.records.types import RECORD_TYPES
from crm.segments.models import Segment
from workflows.expressions.conditions import CompiledConditions, check_conditions
from workflows.graphs.events import MANUAL, OTHERS, SCHEDULE, SEGMENT, TRIGGER_EVENTS, WEBHOOK, is_change
from workflows.graphs.fields import check_fields
from workflows.graphs.models import Workflow
from workflows.graphs.plan import ERROR, Node, Plan, compile_partly
from workflows.graphs.problems import Problems
from workflows.graphs.rights import May, check_rights
from workflows.graphs.settings import Schedule


def check_draft(graph: Values, workflow_id: str = "", may: May | None = None) -> tuple[Plan | None, Problems]:
    """Compile a draft (triggerEventType, config, nodes, edges, schedule) and return its plan and all of its problems.

    Problems of parts that cannot be compiled are included. With the workflow's id it also checks that the workflow does
    not start itself, with `may` that its publisher has the permissions.
    """
    problems = Problems()
    _check_trigger(graph, problems)
    before = len(problems.errors)
    plan = compile_partly(graph, problems)
    if not graph["nodes"]:
        # That there are no nodes is a problem already.
        problems.found = [problem for problem in problems.found if problem.code != "noTrigger" or problem.path]
    is_valid = len(problems.errors) == before
    kind = graph.get("triggerEventType") or ""
    _check_company(plan, problems)
    _check_references(plan, graph, problems)
    check_fields(plan, problems)
    # Order and reach need a graph without broken nodes; the other checks do not.
    if is_valid:
        _check_order(plan, problems)
        _check_errors(plan, problems)
    if not any(problem.path.startswith("config") and not problem.node_id for problem in problems.errors[before:]):
        _check_config(plan, kind, problems)
    if is_valid:
        _check_lead(plan, graph, problems)
    if workflow_id:
        _check_recursion(workflow_id, plan, problems)
    if may is not None:
        check_rights(plan, may, problems)
    return (None if problems.errors else plan), problems


def _check_trigger(graph: Values, problems: Problems) -> None:
    kind = graph.get("triggerEventType") or ""
    if not kind:
        problems.add("noTrigger", "needs the kind of events that starts it", path="triggerEventType")
    elif kind not in TRIGGER_EVENTS and kind not in OTHERS:
        problems.add("unknownEvent", f"there is no event {kind!r}", path="triggerEventType")
    if kind == SCHEDULE:
        _check_schedule(read_schedule(graph.get("schedule"), problems), problems)
    if not any(node["type"] != "trigger" for node in graph["nodes"]):
        problems.add("noGraph", "the workflow has no nodes beside its trigger", path="nodes")


def read_schedule(raw: Any, problems: Problems) -> Schedule | None:
    """Read a schedule."""
    if not isinstance(raw, dict) or not raw:
        problems.add("missing", "a workflow that time starts needs a schedule", path="schedule", reason="noTimes")
        return None
    try:
        schedule = Schedule.model_validate(raw)
    except ValidationError as error:
        problems.add_invalid(error, prefix="schedule")
        return None
    return schedule


def _check_schedule(schedule: Schedule | None, problems: Problems) -> None:
    """Find fields of a schedule that its panel lacks."""
    if schedule is None:
        return
    now = timezone.now()
    if (schedule.until is not None and schedule.until <= now) or (
        schedule.type == "dates" and max(schedule.at or [now]) <= now
    ):
        problems.add("neverFires", "all of its times have passed", path="schedule", severity="warning")
    if schedule.audience is not None:
        fields = RECORD_TYPES[schedule.audience.panel].fields
        try:
            tree.check(tree.parse(schedule.audience.filter, "audience.filter"), fields, parameter="audience.filter")
        except NamedError as error:
            path = "schedule.audience.filter"
            problems.add("badValue", error.detail_at(path), path=path, reason="badConditions")
    if schedule.type == "field" and schedule.field is not None:
        panel_fields = RECORD_TYPES[schedule.field.panel].fields
        try:
            field = panel_fields.filterable(schedule.field.name, "field.name")
        except NamedError as error:
            path = "schedule.field.name"
            problems.add("unknownField", error.detail_at(path), path=path, reason="noDate")
        else:
            if field.type != "date":
                problems.add(
                    "badValue", f"{schedule.field.name}: is no date", path="schedule.field.name", reason="noDate"
                )


def _references(plan: Plan) -> Iterator[tuple[Node, str, str]]:
    """Yield each reference to a step, as its node, the path and the id of the step."""
    for node in plan.nodes.values():
        for path in sorted(node.paths):
            root, _, rest = path.partition(".")
            if root == "steps" and rest:
                yield node, path, rest.split(".")[0]


def _check_references(plan: Plan, graph: Values, problems: Problems) -> None:
    """Find references to missing steps, or to steps that never come before in the graph."""
    node_ids = {node["id"] for node in graph["nodes"]}
    after: dict[str, set[str]] = defaultdict(set)
    for edge in graph["edges"]:
        after[edge["source"]].add(edge["target"])
    for node, path, id in _references(plan):
        where = {"node_id": node.id, "path": path}
        if id not in node_ids:
            problems.add("unknownReference", f"there is no node {id!r}", **where)
        # By the drawn edges and not by the plan, which lacks the nodes that do not compile.
        elif node.id not in _reachable(after, id):
            problems.add("unknownReference", "does not come before this node", **where)


def _reachable(after: Mapping[str, set[str]], id: str) -> set[str]:
    node_ids: set[str] = set()
    open = [id]
    while open:
        new = after.get(open.pop(), set()) - node_ids
        node_ids |= new
        open += new
    return node_ids


def _check_order(plan: Plan, problems: Problems) -> None:
    """Find references to steps that need not have come before."""
    for node, path, id in _references(plan):
        other = plan.nodes.get(id)
        if other is not None and node.id in other.reach and not comes_always(plan, id, node.id):
            text = "another branch may lead here, then it is empty"
            problems.add("maybeMissing", text, node_id=node.id, path=path, severity="warning")


def _check_errors(plan: Plan, problems: Problems) -> None:
    """Find nodes whose errors are to go a way that leads nowhere: the branch would just end."""
    for node in plan.nodes.values():
        if node.on_error.then == "branch" and not node.targets.get(ERROR):
            text = "errors go the way of the handle error, from which nothing leads on: the branch ends there"
            problems.add("noErrorEdge", text, node_id=node.id, path="onError.then", severity="warning")


def comes_always(plan: Plan, before: str, id: str) -> bool:
    """Return whether each way from the trigger to the node leads through the other one."""
    visited = set()
    open = [plan.trigger]
    while open:
        place = open.pop()
        if place == id:
            return False
        if place in visited or place == before:
            continue
        visited.add(place)
        open += [target for targets in plan.nodes[place].targets.values() for target in targets]
    return True


def _check_config(plan: Plan, kind: str, problems: Problems) -> None:
    """Add problems of the workflow's settings that the company's records lack, or that do not fit the trigger."""
    if plan.filter is not None:
        _check_tree(plan.filter, "", "config.filter", problems)
    segment, fields = plan.config.segment, plan.config.changedFields
    if kind in SEGMENT:
        if not Segment.objects.filter(pk=segment or "").exists():
            problems.add("missing", "names the segment that records enter or leave", path="config.segment")
    elif segment:
        _warn_unused("segment", "segment.entered and segment.left", problems)
    if fields and not is_change(kind):
        _warn_unused("changedFields", "kinds of events that end in .updated", problems)
    elif fields and (what := RECORD_TYPES.get(kind.partition(".")[0])) is not None:
        for name in sorted(set(fields) - what.changing):
            text = f"there is no field {name[:60]!r} among the changes of {kind}"
            problems.add("unknownField", text, path="config.changedFields", reason="changedFields")
    if kind == MANUAL and plan.filter is not None:
        _warn_unused("filter", "what starts a workflow by itself", problems)
    for name, compiled in plan.ends.items():
        _check_tree(compiled, "", f"config.{name}.filter", problems)
    for name, kinds in plan.ended_by.items():
        _check_events(kinds, problems, path=f"config.{name}.events")


def _warn_unused(name: str, of: str, problems: Problems) -> None:
    problems.add("unused", f"is of {of} alone, and does nothing here", path=f"config.{name}", severity="warning")


def _check_company(plan: Plan, problems: Problems) -> None:
    """Find fields, tags, members and the like that nodes name and the company lacks, of nodes that compile."""
    broken = {problem.node_id for problem in problems.errors if problem.path.startswith("config")}
    for node in (node for node in plan.nodes.values() if node.id not in broken):
        _check_events(node.type.events(node.config), problems, node_id=node.id, path="config.event")
        if node.type.type == "workflow":
            _check_other(node, problems)
        for name, compiled in node.conditions.items():
            _check_tree(compiled, node.id, f"config.{name}", problems)
        for code, path, message in node.type.check(node.config):
            problems.add(code, message, node_id=node.id, path=f"config.{path}")
        for code, path, message in node.type.hints(node.config):
            problems.add(code, message, node_id=node.id, path=f"config.{path}", severity="warning")


def _check_lead(plan: Plan, graph: Values, problems: Problems) -> None:
    """Add problems of nodes that require a lead if neither the trigger nor a node provides one."""
    kind, schedule = graph.get("triggerEventType") or "", graph.get("schedule") or {}
    panels = {(schedule.get(name) or {}).get("panel") for name in ("audience", "field")}
    without = kind.startswith("contact.") or kind == WEBHOOK or (kind == SCHEDULE and "lead" not in panels)
    # Some triggers may bring a lead or not, so only those that never do are warned about.
    if not without or any(node.type.type == "lead" and node.config.action == "create" for node in plan.nodes.values()):
        return
    for node in plan.nodes.values():
        if node.type.needs_lead:
            text = "takes a lead, and neither what starts the workflow nor a step before gives one"
            problems.add("noLead", text, node_id=node.id, path="type", severity="warning")


def _check_events(kinds: Iterable[str], problems: Problems, **where: Any) -> None:
    for kind in kinds:
        if kind not in TRIGGER_EVENTS:
            problems.add("unknownEvent", f"there is no event {kind!r}", **where)


def _check_other(node: Node, problems: Problems) -> None:
    """Find a workflow that is to be run and cannot."""
    other = Workflow.objects.filter(pk=node.config.workflow, is_deleted=False).first()
    if other is None or other.version_id is None:
        text = "there is no such published workflow in this company"
        problems.add("workflowMissing", text, node_id=node.id, path="config.workflow")


def _check_recursion(workflow_id: str, plan: Plan, problems: Problems) -> None:
    """Find nodes through which the workflow would run itself, directly or through others."""
    for node in plan.nodes.values():
        if node.type.type == "workflow" and _leads_to(node.config.workflow, workflow_id):
            text = "this workflow would run itself"
            problems.add("recursion", text, node_id=node.id, path="config.workflow")


def _leads_to(start: str, goal: str) -> bool:
    node_ids, open = {start}, {start}
    while open and goal not in node_ids:
        # A level of the graph for each query, however many workflows call each other.
        graphs = Workflow.objects.filter(pk__in=open, version__isnull=False).values_list("version__graph", flat=True)
        named = {
            node["data"]["config"].get("workflow")
            for graph in graphs
            for node in graph["nodes"]
            if node["type"] == "workflow" and isinstance(node["data"].get("config"), dict)
        }
        open = {id for id in named if isinstance(id, str)} - node_ids
        node_ids |= open
    return goal in node_ids


def _check_tree(compiled: CompiledConditions, node_id: str, path: str, problems: Problems) -> None:
    try:
        check_conditions(compiled, path)
    except NamedError as error:
        code = error.code if error.code == UNKNOWN_FIELD else "badValue"
        problems.add(code, error.detail_at(path), node_id=node_id, path=path, reason="badConditions")


__all__ = ["check_draft", "comes_always", "read_schedule"]
