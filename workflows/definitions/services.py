"""Workflows as members write them: create, change, duplicate, delete. A draft may be wrong; a version may not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id
from core.text.json import dumps
from core.types import JsonObject, Values
from crm.records.writes.updates import refuse_changed
from crm.segments.tracking import refresh_watches
from workflows.definitions.publishing import change_status
from workflows.definitions.selectors import graph_of, kept_workflows
from workflows.engine import completion, locks
from workflows.graphs.models import Workflow, WorkflowTrigger
from workflows.graphs.parse import check_plain, read_graph
from workflows.graphs.problems import Problems
from workflows.graphs.rights import May, allow_all
from workflows.graphs.validation import check_draft

MODULE = "workflow"
NOT_FOUND = "WorkflowNotFound_404"
NAME_LOCK = 0x6C77_0015
"""First key of the advisory lock under which a company's workflows get their names; the second is the company's."""
NAME_LENGTH = 200
MAX_SETTINGS = 64_000
"""Bytes of config, and of schedule."""


def get_workflow(id: str, *, lock: bool = False) -> Workflow:
    """Return the company's workflow with this id. Raises WorkflowNotFound_404."""
    # no_key: a start, which holds the fence shared, refers to the row.
    rows = kept_workflows().select_for_update(of=("self",), no_key=True) if lock else kept_workflows()
    workflow: Workflow | None = rows.filter(pk=id).first()
    if workflow is None:
        raise NamedError(NOT_FOUND, "there is no such workflow in this company", field="id")
    return workflow


@transaction.atomic
def create_workflow(*, member_id: str, id: str = "", **values: Any) -> Workflow:
    """Create a draft, with the given id if there is one. A name that is taken gets a suffix, such as "Name (2)".

    Raises InvalidInput_400 for an invalid graph, PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    workflow = Workflow(created_by_id=member_id, **({"id": id} if id else {}))
    _save(workflow, member_id, values)
    emit("workflow.created", [workflow.pk], payloads={workflow.pk: {"name": workflow.name}}, actor_id=member_id)
    return workflow


@transaction.atomic
def update_workflow(
    *,
    id: str,
    member_id: str,
    status: str | None = None,
    unchanged_since: str | None = None,
    may: May = allow_all,
    **values: Any,
) -> Workflow:
    """Change the given values of the draft, and the status. A published version stays as it is until the next one.

    With `unchanged_since`, an updatedAt, it raises RecordChanged_409 if the workflow has another one. Raises
    WorkflowNotFound_404, InvalidInput_400, and ValidationError_400 where a status of published needs a graph that can
    run.
    """
    if status is not None and status not in Workflow.Status.values:
        raise NamedError("InvalidInput_400", f"must be one of {', '.join(Workflow.Status.values)}", field="status")
    workflow = get_workflow(id, lock=True)
    refuse_changed(workflow.updated_at, unchanged_since)
    if values:
        _save(workflow, member_id, values)
        emit("workflow.updated", [id], payloads={id: {"name": workflow.name}}, actor_id=member_id)
    if status is not None:
        change_status(workflow, status, member_id, may)
    return workflow


def _save(workflow: Workflow, member_id: str, values: Values) -> None:
    changes = dict(values)
    if "nodes" in changes or "edges" in changes:
        sent_nodes = changes.get("nodes", workflow.nodes)
        sent_edges = changes.get("edges", workflow.edges)
        nodes, edges = read_graph(sent_nodes, sent_edges)
        changes["nodes"] = nodes
        changes["edges"] = edges
    for name in ("config", "schedule"):
        if name in changes:
            check_plain(changes[name], name)
            if len(dumps(changes[name])) > MAX_SETTINGS:
                raise NamedError("InvalidInput_400", f"is larger than {MAX_SETTINGS} bytes", field=name)
    if "name" in changes:
        changes["name"] = _free_name(changes["name"], workflow.pk)
    for name, value in changes.items():
        setattr(workflow, name, value)
    workflow.updated_by_id = member_id
    workflow.save()


def _free_name(name: str, own: str) -> str:
    """Return the name, or the first free one of "Name (2)", "Name (3)" and so on, ignoring case."""
    lock_names()
    similar = kept_workflows().exclude(pk=own).filter(name__istartswith=_base(name))
    return free_name(name, similar.values_list("name", flat=True))


def lock_names() -> None:
    """Lock the company's workflow names until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [NAME_LOCK, company_id()])


def _base(name: str) -> str:
    return name[: NAME_LENGTH - 8].rstrip() if len(name) > NAME_LENGTH - 8 else name


def free_name(name: str, similar: Iterable[str]) -> str:
    """Return the name, or the first of "Name (2)", "Name (3)" and so on that is not among similar ones, ignoring
    case."""
    names = {candidate.upper() for candidate in similar}
    if name.upper() not in names:
        return name
    base = _base(name)
    return next(
        candidate for number in range(2, len(names) + 3) if (candidate := f"{base} ({number})").upper() not in names
    )


@transaction.atomic
def duplicate_workflow(*, id: str, member_id: str) -> Workflow:
    """Return a new draft with the draft of another workflow. Raises WorkflowNotFound_404, PlanLimitExceeded_403."""
    source = get_workflow(id)
    return create_workflow(member_id=member_id, name=source.name, **_draft_of(graph_of(source)))


def export_workflow(id: str) -> JsonObject:
    """Return the draft as a JSON object that import_workflow takes. Raises WorkflowNotFound_404."""
    workflow = get_workflow(id)
    return {"format": "leadwright.workflow", "version": 1, "name": workflow.name, **graph_of(workflow)}


def _draft_of(graph: Values) -> JsonObject:
    names = {"triggerEventType": "trigger_event_type"}
    return {names.get(name, name): value for name, value in graph.items()}


@transaction.atomic
def delete_workflows(*, member_id: str, selection: BulkSelection) -> int:
    """Delete the selected workflows. Their runs end; the history stays. Returns how many.

    Raises WorkflowNotFound_404 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(kept_workflows()), lock=True, no_key=True):
        locks.lock_alone(ids)
        now = timezone.now()
        Workflow.objects.filter(pk__in=ids).update(
            is_deleted=True, settling=True, next_fire_at=None, hook_token="", updated_by_id=member_id, updated_at=now
        )
        WorkflowTrigger.objects.filter(workflow__in=ids).delete()
        refresh_watches()
        emit("workflow.deleted", ids, actor_id=member_id)
        if len(ids) == 1:
            completion.settle(ids[0])
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a workflow of this company", field="ids")
    return deleted


def validation_of(workflow: Workflow, may: May | None = None) -> Problems:
    """Return the problems of the draft, and with `may` the permissions that its publisher would lack."""
    return check_draft(graph_of(workflow), workflow.pk, may)[1]
