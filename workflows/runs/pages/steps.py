"""The steps of a run as its page shows them: a row for each visit of a node, with its waits and its tries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from workflows.definitions.pages.graph import WORDS
from workflows.runs.pages.failures import failure_text
from workflows.runs.types import WorkflowRunDetailData, WorkflowStepData

STATUSES = {
    "done": (gettext_lazy("Completed"), "ok"),
    "waiting": (gettext_lazy("Waiting"), "info"),
    "retrying": (gettext_lazy("Failed"), "warn"),
    "failed": (gettext_lazy("Failed"), "bad"),
}
"""Status of a step -> its label, and the tone of its badge."""
OPEN = ("waiting", "retrying", "failed")
"""Statuses after which the next step of the node belongs to the same visit: the end of the wait, or a retry."""


def shown_steps(run: WorkflowRunDetailData, steps: Sequence[WorkflowStepData]) -> list[JsonObject]:
    """Return a row for each visit of a node, in the order in which they began."""
    waiting = Counter(wait["node"] for wait in run["waits"])
    visits = _group_visits(steps)
    for rows in reversed(visits):  # the latest visits still wait
        node = rows[-1]["node"]
        still = rows[-1]["status"] in ("waiting", "retrying") and waiting[node] > 0
        waiting[node] -= still
        rows[0] = {**rows[0], "still": still}
    return [_row(run, rows, rows[0]["still"]) for rows in visits]


def _group_visits(steps: Sequence[WorkflowStepData]) -> list[list[JsonObject]]:
    """Put the steps of each visit together. Items of a loop that wait at the same node at once stay apart."""
    visits: list[list[JsonObject]] = []
    open: dict[str, list[list[JsonObject]]] = defaultdict(list)
    for step in steps:
        mine = open[step["node"]]
        if mine and not (step["status"] == mine[0][-1]["status"] == "waiting"):
            rows = mine.pop(0)
            rows.append(dict(step))
        else:
            rows = [dict(step)]
            visits.append(rows)
        if step["status"] in OPEN:
            mine.append(rows)
    return visits


def _row(run: WorkflowRunDetailData, rows: Sequence[Values], still: bool) -> JsonObject:
    last = rows[-1]
    node = run["nodes"].get(rows[-1]["node"], {})
    tries = [attempt for attempt in rows if attempt["status"] != "waiting"]
    began = rows[0]["createdAt"]
    output = last["output"]
    until = output.get("until") if node.get("type") == "wait" and isinstance(output, Mapping) else None
    moved_at = last["createdAt"] if len(rows) > 1 else None
    return {
        **last,
        "began": began,
        "ended": until if last["status"] == "waiting" and not still else moved_at,
        "way": _way(node, last["handle"]),
        "badge": _badge(run, last["status"], node, still),
        "trouble": failure_text(last["error"]),
        "tries": len(tries),
        "earlier": [
            {"at": attempt["createdAt"], "trouble": failure_text(attempt["error"])}
            for attempt in tries[:-1]
            if attempt["error"]
        ],
        "can_begin": not still and not (last["status"] == "waiting" and run["status"] in ("queued", "running")),
    }


def _badge(run: WorkflowRunDetailData, status: str, node: Values, still: bool) -> tuple[str, str]:
    """Return the label and the tone for the result of the visit."""
    if status == "done" and node.get("disabled"):
        return _("Skipped"), ""
    if still:
        return (_("Will be retried"), "warn") if status == "retrying" else STATUSES["waiting"]
    if status == "waiting":
        return (_("Stopped waiting"), "") if run["status"] == "cancelled" else (_("Waited"), "ok")
    return STATUSES.get(status, (status, ""))


def _way(node: Values, handle: str) -> str:
    """Return the label of the handle that the run took, if there are several."""
    return "" if handle in ("", "out") else node.get("ways", {}).get(handle) or WORDS.get(handle, handle)
