"""The slice: one transaction that takes up to 200 runs of up to 20 companies as far as they get.

The row locks are the claim: they last as long as the transaction does, so a worker that dies leaves nothing behind. A
notice (RunReady) that was not handled stays for the next slice. docs/decisions/0020-workflow-engine.md says why.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import monotonic

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from accounts.models import Company
from core.errors import NamedError
from core.tenancy import company_scope, unscoped
from crm.contacts.schema import ContactSchema
from workflows.engine import carrying, interpreter, locks, subjects, writing
from workflows.engine.cursor import Cursor
from workflows.engine.models import RunReady, RunTimer, WorkflowRun
from workflows.engine.waves import House, advance
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.graphs.plan import Plan, compile_graph

log = logging.getLogger(__name__)

RUNS, COMPANIES = 200, 20
"""The most runs, and companies, of a slice."""
TIMERS = 5000
"""How many due timers are told at once."""
Status = WorkflowRun.Status
GOING = (Status.QUEUED, Status.RUNNING, Status.WAITING)
_last_company = ""
"""The company that this process has served last: the next slice begins behind it."""

DUE_COMPANIES = """
WITH RECURSIVE due AS (
    (SELECT company_id FROM workflows_runready WHERE company_id > %(after)s ORDER BY company_id LIMIT 1)
    UNION ALL
    SELECT (SELECT company_id FROM workflows_runready r WHERE r.company_id > due.company_id
            ORDER BY company_id LIMIT 1)
    FROM due WHERE due.company_id IS NOT NULL
) SELECT company_id FROM due WHERE company_id IS NOT NULL LIMIT %(most)s
"""
CLAIM = """
SELECT picked.id, picked.run_id FROM unnest(%(companies)s::text[]) AS company CROSS JOIN LATERAL (
    SELECT id, run_id FROM workflows_runready WHERE company_id = company ORDER BY priority, id LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
) AS picked
"""
TELL = """
WITH due AS (
    SELECT id FROM workflows_runtimer WHERE NOT told AND due_at <= %(now)s ORDER BY due_at LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
), told AS (
    UPDATE workflows_runtimer t SET told = true FROM due WHERE t.id = due.id RETURNING t.company_id, t.run_id
)
INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)
SELECT lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), company_id, run_id, 5, %(now)s, %(now)s FROM told
"""


def work(deadline: float = float("inf")) -> int:
    """Move runs until none may move or monotonic() passes the deadline. Returns the number of moves."""
    moved = 0
    while monotonic() < deadline:
        tell_due_timers()
        found = work_slice()
        if not found:
            break
        moved += found
    return moved


def has_due() -> bool:
    """Tell whether a run of any company may move."""
    with unscoped(reason="tick: runs of all companies"):
        due = RunTimer.objects.filter(told=False, due_at__lte=timezone.now())
        return bool(RunReady.objects.exists() or due.exists())


def tell_due_timers() -> None:
    """Make a notice for each timer that is due. The timer stays until the slice takes it."""
    with unscoped(reason="timers of all companies"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(TELL, {"now": timezone.now(), "most": TIMERS})


def work_slice() -> int:
    """Work one slice. Returns the number of its runs; 0 if there are none, or none that nobody else holds."""
    try:
        with unscoped(reason="workflow engine: runs of all companies"), transaction.atomic():
            return _work_slice()
    except OperationalError as error:  # a deadlock with some other writer: the tick comes back to it
        log.warning("a slice was rolled back: %s", error)
        return 0


def _work_slice() -> int:
    notices = _claim(_due_companies())
    if not notices:
        return 0
    runs = list(
        WorkflowRun.objects.filter(pk__in=list(notices))
        .select_for_update(of=("self",), no_key=True, skip_locked=True)
        .order_by("pk")
    )
    locks.lock_shared(run.workflow_id for run in runs)
    workflows = Workflow.objects.in_bulk({run.workflow_id for run in runs})
    groups: dict[str, list[WorkflowRun]] = defaultdict(list)
    for run in runs:
        groups[run.company_id].append(run)
    seen: set[str] = set()
    for company_id, group in groups.items():
        with company_scope(company_id):
            seen |= _work_company(company_id, group, workflows)
    writing.remove_notices([id for run_id in seen for id in notices[run_id]])
    return len(seen)


def _due_companies() -> list[str]:
    """Return the companies of the next slice: that of the oldest notice, and those behind the last one served."""
    global _last_company
    with connection.cursor() as cursor:
        cursor.execute(DUE_COMPANIES, {"after": _last_company, "most": COMPANIES})
        found = [id for (id,) in cursor.fetchall()]
        if len(found) < COMPANIES:
            cursor.execute(DUE_COMPANIES, {"after": "", "most": COMPANIES - len(found)})
            found += [id for (id,) in cursor.fetchall()]
        if len(found) >= COMPANIES:
            cursor.execute("SELECT company_id FROM workflows_runready ORDER BY id LIMIT 1")
            found = [*(id for (id,) in cursor.fetchall()), *found]
    found = list(dict.fromkeys(found))[:COMPANIES]
    _last_company = found[-1] if len(found) >= COMPANIES else ""
    return found


def _claim(companies: Sequence[str]) -> dict[str, list[str]]:
    """Lock the next notices of the companies. Returns run -> its notices."""
    if not companies:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, {"companies": list(companies), "most": max(10, RUNS // len(companies))})
        notices: dict[str, list[str]] = defaultdict(list)
        for id, run_id in cursor.fetchall():
            notices[run_id].append(id)
    return notices


def _work_company(company_id: str, runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow]) -> set[str]:
    """Move a company's runs. Returns the runs whose notices are done with; those of records that others hold are not.

    If that fails for all at once, each run goes alone, and one that still fails ends as failed.
    """
    try:
        with transaction.atomic():
            return _move(company_id, runs, workflows)
    except OperationalError:
        raise
    except Exception as error:  # the edge of a run: it fails, the others go on
        if len(runs) > 1:
            log.warning("%s runs failed at once; they go one by one", len(runs), exc_info=error)
            return set().union(*(_work_company(company_id, [_fresh(run)], workflows) for run in runs))
        log.exception("run %s failed", runs[0].pk)
        text = f"{type(error).__name__}: the run could not go on"
        writing.fail_run(runs[0], "internal", text)
        return {runs[0].pk}


def _fresh(run: WorkflowRun) -> WorkflowRun:
    """Return the locked run as it is stored, since the attempt before may have changed it."""
    return WorkflowRun.objects.get(pk=run.pk)


def _move(company_id: str, runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow]) -> set[str]:
    now = timezone.now()
    going, seen = _admit(runs, workflows, now)
    if not going:
        return seen
    versions = WorkflowVersion.objects.filter(pk__in={run.version_id for run in going}).defer("graph")
    actors = {version.pk: version.published_by_id for version in versions}
    plans = {id: plan_of(id) for id in actors}
    present = _hold_subjects(going, plans, now)
    company = Company.objects.values("name", "timezone").get(pk=company_id)
    house = House(company_id, company["name"], company["timezone"], now, actors)
    cursors = [Cursor.of(run, plans[run.version_id], now) for run in present]
    _wake(cursors, now)
    advance(cursors, house)
    writing.write(cursors, now)
    gone = {run.pk for run in going if run.status == Status.CANCELLED}
    return seen | gone | {run.pk for run in present}


def _admit(
    runs: Sequence[WorkflowRun], workflows: Mapping[str, Workflow], now: object
) -> tuple[list[WorkflowRun], set[str]]:
    """Return the runs that may move, and those that don't: they have ended, or they are held."""
    going, seen = [], set()
    for run in runs:
        workflow = workflows[run.workflow_id]
        if run.status not in GOING:
            seen.add(run.pk)
        elif workflow.is_deleted:
            writing.cancel([run.pk], "workflowDeleted")
            seen.add(run.pk)
        elif workflow.carry == carrying.CANCEL and run.version_id != workflow.version_id:
            writing.cancel([run.pk], carrying.REPLACED)  # its turn in settling has not come yet
            seen.add(run.pk)
        elif run.hold_no < workflow.hold_no or workflow.status != Workflow.Status.PUBLISHED:
            writing.pause([run.pk], held_reason(workflow))
            seen.add(run.pk)
        else:
            going.append(run)
    return going, seen


def held_reason(workflow: Workflow) -> str:
    """Return why the runs of a workflow are held."""
    return {"unpublished": "unpublished", "paused": "workflowPaused"}.get(workflow.status, "paused")


def _hold_subjects(runs: Sequence[WorkflowRun], plans: Mapping[str, Plan], now: object) -> list[WorkflowRun]:
    """Lock the records that the runs may write, first what makes contacts unique, as all writers do.

    Returns the runs whose records are there; those of records that others hold come again later, and those of deleted
    ones are cancelled.
    """
    used = [plans[run.version_id] for run in runs]
    if any(plan.writes_keys for plan in used):
        ContactSchema.load().lock_unique_values()
    write = any(plan.writes for plan in used)
    contacts = subjects.lock_contacts((run.contact_id for run in runs if run.contact_id), write=write)
    leads = subjects.lock_leads((run.lead_id for run in runs if run.lead_id), write=write)
    present: list[WorkflowRun] = []
    gone: list[WorkflowRun] = []
    for run in runs:
        told = str(run.trigger.get("kind", "")).endswith(".deleted")  # it is about what is gone
        states = []
        for name, found in (("contact_id", contacts), ("lead_id", leads)):
            id = getattr(run, name)
            if id is None:
                continue
            if id not in found:
                break
            deleted, heir = found[id]
            if heir is not None:
                setattr(run, name, heir)
            states.append(deleted and heir is None and not told)
        else:
            (gone if any(states) else present).append(run)
    writing.cancel([run.pk for run in gone], "subjectDeleted")
    for run in gone:
        run.status = Status.CANCELLED
    return present


def _wake(cursors: Sequence[Cursor], now: object) -> None:
    """Take the due timers of the runs, and let their tokens go on."""
    by_id = {cursor.run.pk: cursor for cursor in cursors}
    for run_id, token in writing.take_due_timers(list(by_id), now):
        cursor = by_id[run_id]
        interpreter.wake(cursor.plan, cursor.state, token)


@lru_cache(maxsize=256)
def plan_of(version_id: str) -> Plan:
    """Return the compiled form of a version, which never changes. Raises InvalidRequest_400 for one that cannot run any
    more, since a node type has gone."""
    graph = WorkflowVersion.objects.values_list("graph", flat=True).get(pk=version_id)
    plan = compile_graph(graph)
    if plan is None:
        raise NamedError("InvalidRequest_400", "version: its graph cannot run any more; publish the workflow again")
    return plan
