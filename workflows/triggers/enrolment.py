"""Runs that a member starts by hand, or that a call of a webhook starts."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.access.attempts import Limit
from core.errors import NamedError
from core.ids import new_id
from core.lists import BulkSelection
from core.tenancy import company_scope, unscoped
from core.text.json import dumps, format_iso
from core.types import Values
from crm.records.types import RECORD_TYPES, kind_of
from workflows.engine import locks
from workflows.engine.slices import plan_of
from workflows.engine.starts import Entry, pass_filter, start_runs
from workflows.engine.subjects import contacts_of_leads
from workflows.graphs.events import MANUAL, WEBHOOK
from workflows.graphs.models import Workflow

# All of them are started in one transaction.
MAX_ENROLLED = 10_000
"""The most records that one request enrols."""
MAX_CALL = 64_000
"""Bytes of a webhook's body."""
LOST = {"contact": "ContactNotFound_404", "lead": "LeadNotFound_404"}
CALLS = Limit("workflow-hooks", 600, 60)
"""Calls of one webhook."""


def read_selection(panel: str, body: Values, params: Values) -> BulkSelection | None:
    """Read the records for which a request starts runs; None if it starts a run without a record.

    Raises InvalidRequest_400 for a request that has neither, or both.
    """
    has_records = bool(body.get("ids") or body.get("selectAll"))
    if has_records == bool(body.get("withoutRecord")):
        text = "say for which records runs start, or that a single one starts without"
        raise NamedError("InvalidRequest_400", text, field=("ids", "selectAll", "withoutRecord"))
    if not has_records:
        return None
    return BulkSelection.parse(body, params, RECORD_TYPES[panel].fields)


def check_input(run_input: Values) -> None:
    """Raise InvalidInput_400 for an input of runs that is too large."""
    if len(dumps(run_input)) > MAX_CALL:
        raise NamedError("InvalidInput_400", f"is larger than {MAX_CALL} bytes", field="input")


@transaction.atomic
def enrol(
    *,
    workflow: Workflow,
    member_id: str,
    panel: str,
    selection: BulkSelection | None,
    given: Values,
) -> dict[str, int]:
    """Start runs for the selected records, or a single one without a record. Return the numbers of both.

    The filter of the workflow applies to automatic starts only, not to selected records.

    Raises InvalidRequest_400 for a workflow that is not published, or paused without a queue, and for more than
    MAX_ENROLLED records. Raises ContactNotFound_404 and LeadNotFound_404 if no id exists.
    """
    locks.lock_shared([workflow.pk])
    # Read after the fence: the caller's object may be older than a pause.
    workflow = Workflow.objects.get(pk=workflow.pk)
    if workflow.is_deleted or workflow.status == Workflow.Status.UNPUBLISHED:
        raise NamedError("InvalidRequest_400", "the workflow is not published; publish it first", field="id")
    plan = plan_of(workflow.version_id)
    if workflow.status == Workflow.Status.PAUSED and plan.config.whilePaused == "skip":
        raise NamedError(
            "InvalidRequest_400", "the workflow is paused, and its starts are left out meanwhile", field="id"
        )
    check_input(given)
    now = timezone.now()
    call = new_id()
    trigger = {"kind": MANUAL, "happenedAt": format_iso(now), "input": given}
    if selection is None:
        started = start_runs(workflow, plan, [Entry(f"manual:{call}", trigger=trigger)], member_id=member_id)
        return {"selectedCount": 1, "startedCount": len(started)}
    # One more shows that there are too many, without counting all.
    ids = list(selection.apply(kind_of(panel).live()).order_by("pk").values_list("pk", flat=True)[: MAX_ENROLLED + 1])
    if not ids and not selection.everything:
        raise NamedError(LOST[panel], f"none of them is a {panel} of this company", field="ids")
    if len(ids) > MAX_ENROLLED:
        raise NamedError("InvalidRequest_400", f"at most {MAX_ENROLLED:,} records are enrolled at once", field="ids")
    contacts = contacts_of_leads(ids) if panel == "lead" else {}
    entries = [
        Entry(f"manual:{call}:{id}", contacts.get(id, id), id if panel == "lead" else None, trigger) for id in ids
    ]
    started = start_runs(workflow, plan, entries, member_id=member_id) if entries else []
    return {"selectedCount": len(ids), "startedCount": len(started)}


def call_hook(token: str, payload: Values) -> None:
    """Start a run by a call of a webhook that the workflow's filter admits.

    Raises WorkflowNotFound_404, InvalidInput_400, TooManyAttempts.
    """
    with unscoped(reason="webhook: the token names the company"):
        # The token is the secret: nothing else of the call is trusted.
        workflows = Workflow.objects.filter(hook_token=token, is_deleted=False)
        hook_workflow = None if not token or "\0" in token else workflows.first()
    if hook_workflow is None:
        raise NamedError("WorkflowNotFound_404", "no workflow is called by it", field="token")
    # Before the body is looked at, so that a flood costs little.
    CALLS.count(hook_workflow.pk)
    if len(dumps(payload)) > MAX_CALL:
        raise NamedError("InvalidInput_400", f"is larger than {MAX_CALL} bytes", field="body")
    with company_scope(hook_workflow.company_id), transaction.atomic():
        locks.lock_shared([hook_workflow.pk])
        workflow = Workflow.objects.get(pk=hook_workflow.pk)
        listening = workflow.status != Workflow.Status.UNPUBLISHED and not workflow.is_deleted
        if not listening or workflow.trigger_event_type != WEBHOOK:
            raise NamedError("WorkflowNotFound_404", "its workflow is not published", field="token")
        trigger = {"kind": WEBHOOK, "happenedAt": format_iso(timezone.now()), "payload": dict(payload)}
        plan = plan_of(workflow.version_id)
        entries, refusals = pass_filter(plan, [Entry(f"webhook:{new_id()}", trigger=trigger)])
        start_runs(workflow, plan, entries, skipped=refusals)
