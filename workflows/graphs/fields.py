"""References of a draft to values that no run has: unknown fields of records, variables that no step sets.

They are empty when a run comes to them, so they are warnings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from core.errors import shorten
from crm.records.types import RECORD_TYPES, kind_of
from workflows.expressions.records import CONTACT, FIRST_NAME
from workflows.graphs.plan import Node, Plan, loop_body
from workflows.graphs.problems import Problems

TRIGGER = frozenset(("kind", "happenedAt", "objectId", "payload", "input"))
RUN = frozenset(("_id", "workflow", "startedAt"))
COMPANY = frozenset(("_id", "name", "timezone"))
LOOP = frozenset(("item", "index"))


def record_fields(panel: str) -> frozenset[str]:
    """Return the names by which expressions see the values of a panel's records, custom ones by their keys."""
    columns = {column.api_name for column in kind_of(panel).columns if column.api_name}
    derived = (FIRST_NAME,) if panel == CONTACT else ()
    return frozenset(("_id", "createdAt", *derived, *columns, *RECORD_TYPES[panel].schema.load().fields))


def check_fields(plan: Plan, problems: Problems) -> None:
    """Add a warning for each reference of a node to a value that there never is."""
    used = {path.partition(".")[0] for node in plan.nodes.values() for path in node.paths}
    keys_by_root: dict[str, Collection[str]] = {
        **{panel: record_fields(panel) for panel in ("contact", "lead") if panel in used},
        "trigger": TRIGGER,
        "run": RUN,
        "company": COMPANY,
        "vars": {name for node in plan.nodes.values() if node.type.type == "set" for name in node.config.values},
    }
    loops = [node.id for node in plan.nodes.values() if node.is_loop]
    inside = {id for loop in loops for id in loop_body(plan.nodes, loop)}
    for node in plan.nodes.values():
        names = {**keys_by_root, "loop": LOOP if node.id in inside else ()}
        for setting, path in _paths(node):
            root, _, rest = path.partition(".")
            key = rest.partition(".")[0]
            if key and root in names and key not in names[root]:
                text = _text(root, key, names[root])
                problems.add("unknownField", text, node_id=node.id, path=f"config.{setting}", severity="warning")


def _paths(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the references of a node's settings, as the setting and the path."""
    templates = [(name, compiled.paths) for name, compiled in node.templates.items()]
    conditions = [(name, compiled.paths) for name, compiled in node.conditions.items()]
    for name, paths in (*templates, *conditions):
        yield from ((name, path) for path in sorted(paths))


def _text(root: str, key: str, names: Collection[str]) -> str:
    path = f"{root}.{shorten(key, 60)}"
    if root == "loop":
        return (
            f"{path} is empty, since the step is in no loop"
            if not names
            else f"{path} is none of loop.item, loop.index"
        )
    if root == "vars":
        return f"{path} is empty, since no step sets it"
    near = get_close_matches(key, names, n=1)
    meant = f"; did you mean {root}.{near[0]}?" if near else ""
    return f"there is no {path}, so it is empty{meant}"
