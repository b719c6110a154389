"""The rights to the input that a run gives to a run of another workflow."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Member
from workflows.engine.models import WorkflowRun
from workflows.engine.read_rights import OF_RECORDS, reads_of_version
from workflows.graphs.models import WorkflowVersion
from workflows.graphs.plan import Node, Plan

INPUT = "input"


def hidden_inputs(
    visits: Sequence[tuple[WorkflowRun, Plan, Node]], version_id: str
) -> dict[tuple[str, str], list[str]]:
    """Return (run, node) -> the permissions to read its input that the publisher of the started version lacks.

    An input that refers to nothing has the author's own words alone, and takes none.
    """
    referring = [(run, plan, node) for run, plan, node in visits if _refers(node)]
    if not referring:
        return {}
    version_ids = {version_id, *(run.version_id for run, _, _ in referring)}
    versions = WorkflowVersion.objects.filter(pk__in=version_ids).select_related("published_by__role")
    publishers = {version.pk: version.published_by for version in versions}
    hidden: dict[tuple[str, str], list[str]] = {}
    known: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, plan, node in referring:
        case = (run.version_id, reads_given(run, plan, node))
        if case not in known:
            known[case] = _withheld(case[1], publishers[run.version_id], publishers[version_id])
        if known[case]:
            hidden[run.pk, node.id] = known[case]
    return hidden


def reads_given(run: WorkflowRun, plan: Plan, node: Node) -> tuple[str, ...]:
    """Return the permissions for the values that the input of a node may hold."""
    if not _refers(node):
        return ()
    reads = [*reads_of_version(run.version_id), *run.state.get("reads", ())]
    # Such a run may pass on the input that it got itself.
    if run.depth > 0 and "trigger" in plan.roots:
        reads += OF_RECORDS
    return tuple(dict.fromkeys(reads))


def _refers(node: Node) -> bool:
    compiled = node.templates.get(INPUT)
    return compiled is not None and bool(compiled.paths)


def _withheld(permissions: Sequence[str], giver: Member | None, taker: Member | None) -> list[str]:
    """Return the permissions that the giver of an input has and its taker lacks. None has them all, as the service."""
    if taker is None:
        return []
    return [
        permission
        for permission in permissions
        if (giver is None or giver.may_on_all(*permission.split("."))) and not taker.may_on_all(*permission.split("."))
    ]
