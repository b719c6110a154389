"""References of a draft to values that no run has: unknown fields of records, variables that no step sets.

They are empty when a run comes to them, so they are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from core.errors import shorten
from crm.records.types import RECORD_TYPES, kind_of
from workflows.expressions.records import CONTACT, FIRST_NAME, ORGANIZATION
from workflows.graphs.plan import Node, Plan, loop_body
from workflows.graphs.problems import Problems
from workflows.graphs.shapes import OPEN, OUTPUTS, SINGLE, Missing, Shape, missing_key, shape_of_field

TRIGGER = Shape(
    keys={"kind": SINGLE, "happenedAt": SINGLE, "objectId": SINGLE, "payload": OPEN, "input": OPEN},
)
RUN = Shape(keys=dict.fromkeys(("_id", "workflow", "startedAt"), SINGLE))
COMPANY = Shape(keys=dict.fromkeys(("_id", "name", "timezone"), SINGLE))
LOOP = Shape(keys={"item": OPEN, "index": SINGLE})
NO_LOOP = Shape(keys={})


def record_shape(panel: str) -> Shape:
    """Return the form of a panel's records, as expressions see them: custom values by the keys of their fields."""
    columns = {column.api_name for column in kind_of(panel).columns if column.api_name}
    derived = (FIRST_NAME,) if panel == CONTACT else ()
    fields = RECORD_TYPES[panel].schema.load().fields
    custom = {key: shape_of_field(field) for key, field in fields.items()}
    return Shape(keys=custom | dict.fromkeys(("_id", "createdAt", *derived, *columns), SINGLE))


def check_fields(plan: Plan, problems: Problems) -> None:
    """Add a warning for each reference of a node to a value that there never is."""
    roots = {path.partition(".")[0] for node in plan.nodes.values() for path in node.paths}
    variables = {name for node in plan.nodes.values() if node.type.type == "set" for name in node.config.values}
    shapes: dict[str, Shape] = {
        **{panel: record_shape(panel) for panel in ("contact", "lead", ORGANIZATION) if panel in roots},
        "trigger": TRIGGER,
        "run": RUN,
        "company": COMPANY,
        "now": SINGLE,
        "vars": Shape(keys=dict.fromkeys(variables, OPEN)),
    }
    loops = [node.id for node in plan.nodes.values() if node.is_loop]
    inside = {id for loop in loops for id in loop_body(plan.nodes, loop)}
    for node in plan.nodes.values():
        known_shapes = {**shapes, "loop": LOOP if node.id in inside else NO_LOOP}
        for setting, path in _paths(node):
            missing_part = _missing_part(plan, known_shapes, path)
            if missing_part is not None:
                text = _text(missing_part, path)
                problems.add(
                    "unknownField",
                    text,
                    node_id=node.id,
                    path=f"config.{setting}",
                    severity="warning",
                    reason="noValue",
                    params={"name": path},
                )


def _missing_part(plan: Plan, shapes: Mapping[str, Shape], path: str) -> Missing | None:
    """Return the part of a path that leads to no value, or None."""
    root, *keys = path.split(".")
    if root == "steps" and len(keys) > 1:
        step = plan.nodes.get(keys[0])
        # A step may have more values than those that its type declares, such as an error.
        shape = OUTPUTS.get(step.type.outputs.get(keys[1], ""), OPEN) if step else OPEN
        return missing_key(".".join((root, *keys[:2])), shape, keys[2:])
    return missing_key(root, shapes[root], keys) if root in shapes else None


def _paths(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the references of a node's settings, as the setting and the path."""
    templates = [(name, compiled.paths) for name, compiled in node.templates.items()]
    conditions = [(name, compiled.paths) for name, compiled in node.conditions.items()]
    for name, paths in (*templates, *conditions):
        yield from ((name, path) for path in sorted(paths))


def _text(part: Missing, full_path: str) -> str:
    before = shorten(part.before, 60)
    path = f"{before}.{shorten(part.key, 60)}"
    if part.shape is NO_LOOP:
        return f"{path} is empty, since the step is in no loop"
    if part.shape is LOOP:
        return f"{path} is none of loop.item, loop.index"
    if before == "vars":
        return f"{path} is empty, since no step sets it"
    if part.shape.item is not None:
        return f"{shorten(full_path, 120)} is empty: {before} is a list, whose first item is {before}.0"
    if part.shape.keys is None:
        return f"{shorten(full_path, 120)} is empty, since {before} is a single value without parts"
    near = get_close_matches(part.key, part.shape.keys, n=1)
    suggestion = f"; did you mean {before}.{near[0]}?" if near else ""
    return f"there is no {path}, so it is empty{suggestion}"
