"""The engine of workflows: starts and steps a second with the product's own services, timers that wait, a small company
beside a large one, and imports with a workflow on contact.created.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from benchmarks import raw
from benchmarks.data.population import Population, Tenant
from benchmarks.imports import create_import, write_csv
from benchmarks.report import Result
from benchmarks.timing import ms, processor_seconds, seconds, spent
from core.events import deliver, emit
from core.jobs import WORK
from core.lists import BulkSelection
from core.tenancy import company_scope, use_owner_role
from core.text.json import dumps
from core.types import JsonObject
from crm.contacts.bulk import update_many
from crm.models import Contact
from workflows.definitions.publishing import publish_workflow
from workflows.definitions.services import create_workflow
from workflows.engine import interpreter, slices
from workflows.engine.plans import plan_of
from workflows.models import RunReady, RunStep, Workflow, WorkflowRun

RUNS = 20_000
MOUNTAIN, SMALL = 200_000, 1000
TIMERS = 1_000_000
ROWS = 100_000
ROUNDS, DUE = 150, 20
"""How often timers are picked up, and how many at a time."""
ASKED = 2000
"""How often the tick asks."""
FIRST = 60_000_000
FAST = {"WORKFLOW_STARTS_PER_SECOND": 100_000}
"""What is measured is the engine, not the pace that the plan sets."""


def workflows(population: Population) -> list[Result]:
    """Measure starts and steps, waiting timers, and fairness."""
    with override_settings(**FAST):
        return [*_starts_and_steps(population), *_timers(population), _fairness(population)]


def _node(id: str, type: str, config: JsonObject) -> JsonObject:
    return {"id": id, "type": type, "position": {"x": 0, "y": 0}, "data": {"config": config}}


def _published(tenant: Tenant, kind: str, nodes: list[JsonObject], *lines: tuple[str, str, str]) -> str:
    """Publish a workflow of nodes and edges (source, handle, target). Returns its id."""
    edges = [
        {"id": f"e{place}", "source": source, "target": target, "sourceHandle": handle}
        for place, (source, handle, target) in enumerate(lines)
    ]
    workflow = create_workflow(
        member_id=tenant.member_id, name=f"Measured {kind}", trigger_event_type=kind, nodes=nodes, edges=edges
    )
    publish_workflow(id=workflow.pk, member_id=tenant.member_id)
    return str(workflow.pk)


def _nothing_waits() -> None:
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE core_event, core_eventdelivery, workflows_runready, workflows_runtimer CASCADE")


def _starts_and_steps(population: Population) -> list[Result]:
    """Emit an event for each contact; the run of each asks a condition and changes the contact."""
    tenant = population.big
    has_name = {"operator": "and", "conditions": [{"field": "contact.name", "operator": "isNotEmpty", "value": None}]}
    nodes = [
        _node("if", "condition", {"filter": has_name}),
        _node("write", "contact", {"action": "update", "values": {"name": "{{ contact.name | trim }}!"}}),
    ]
    with company_scope(tenant.company_id):
        id = _published(tenant, "contact.restored", nodes, ("if", "true", "write"))
        contacts = Contact.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True)
        ids = list(contacts[: min(RUNS, tenant.contacts)])
        _nothing_waits()
        changed = spent(lambda: _change_by_service(tenant, ids))
        _nothing_waits()
        with transaction.atomic():
            emit("contact.restored", ids, notify=False)
        started = spent(deliver)
        assert WorkflowRun.objects.filter(workflow=id).count() == len(ids)
        moved = spent(lambda: slices.work())
        steps = RunStep.objects.filter(run__workflow=id, status="done").count()
        assert WorkflowRun.objects.filter(workflow=id, status="completed").count() == len(ids)
    starts, done = len(ids) / started[0], steps / moved[0]
    run, plain = sum(moved[1:]) / len(ids), sum(changed[1:]) / len(ids)
    return [
        Result("workflows: starts a second", _figures("start", started, len(ids)), starts, 500, True, "/s"),
        Result("workflows: node steps a second", _figures("step", moved, steps), done, 2000, True, "/s"),
        Result(
            "workflows: processor's time of a run of 3 steps",
            f"{1000 * run:.2f} ms, {1000 * plain:.2f} ms for the same change of a contact in bulk",
            run / plain,
            3,
        ),
    ]


def _figures(what: str, taken: tuple[float, float, float], number: int) -> str:
    wall, own, postgres = taken
    return (
        f"{number:,} in {wall:.1f} s; {1e6 * (own + postgres) / number:,.0f} us of processor a {what}"
        f" (worker {1e6 * own / number:,.0f}, PostgreSQL {1e6 * postgres / number:,.0f})"
    )


def _change_by_service(tenant: Tenant, ids: list[str]) -> None:
    """Change the contacts as a bulk PUT does, 500 at a time."""
    for start in range(0, len(ids), 500):
        update_many(
            actor_id=tenant.member_id,
            selection=BulkSelection.of_ids(ids[start : start + 500]),
            form_data={"name": f"Plain {start}"},
        )


def _timers(population: Population) -> list[Result]:
    """Time the pick-up of due timers, and what the tick asks, with few and with very many that wait."""
    tenant = population.big
    with company_scope(tenant.company_id):
        id = _published(tenant, "manual", [_node("a", "set", {"values": {"a": 1}})])
        idle, picked, work = [], [], []
        for many in (0, int(TIMERS * population.scale)):
            _nothing_waits()
            _make_runs(id, tenant, many, waiting=True)
            idle.append(processor_seconds(lambda: [WORK["workflow-runs"].due() for _ in range(ASKED)]) / ASKED)
            times, processor = _picked_up(id, tenant)
            picked.append(times)
            work.append(processor / ROUNDS)
            assert not WorkflowRun.objects.filter(workflow=id, status="failed").exists()
        _nothing_waits()
    few, lots = (quantiles(one, n=100)[98] for one in picked)
    figures = f"p50 {ms(median(picked[1]))}, p99 {ms(lots)} with {many:,} waiting; {ms(median(picked[0]))}, {ms(few)}"
    return [
        Result(f"workflows: pick-up of {DUE} due timers, p99", figures, lots / few, 1.2),
        Result(
            f"workflows: processor's time of a pick-up of {DUE} due timers",
            f"{ms(work[1])}, {ms(work[0])} with none",
            work[1] / work[0],
            1.2,
        ),
        Result(
            "workflows: processor's time of what the tick asks when nothing is due",
            f"{ms(idle[1])}, {ms(idle[0])} with none",
            idle[1] / idle[0],
            1.2,
        ),
    ]


def _picked_up(workflow_id: str, tenant: Tenant) -> tuple[list[float], float]:
    """Return the seconds of each pick-up, the making of its timers left out, and those of processor of all."""
    found: list[float] = []
    processor = 0.0
    for _ in range(ROUNDS):
        _make_runs(workflow_id, tenant, DUE, waiting=True, due="now()")
        processor += processor_seconds(lambda: found.append(seconds(_pick_up)))
    return found, processor


def _pick_up() -> None:
    slices.enqueue_due_timers()
    assert slices.work_slice() == DUE


_made = 0


def _make_runs(
    workflow_id: str, tenant: Tenant, number: int, *, waiting: bool = False, due: str = "now() + interval '9 days'"
) -> None:
    """Make runs of a workflow without records, each with a timer or with a notice, by SQL."""
    global _made
    if not number:
        return
    version = Workflow.objects.values_list("version_id", flat=True).get(pk=workflow_id)
    state = dumps(interpreter.begin(plan_of(version)).to_json()).decode()
    told = {
        "company": tenant.company_id,
        "workflow": workflow_id,
        "version": version,
        "from": _made,
        "to": _made + number - 1,
        "state": state,
        "status": "waiting" if waiting else "queued",
    }
    made = "'c0ffee00' || lpad(to_hex(n), 16, '0')"
    _made += number
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO workflows_workflowrun (id, company_id, workflow_id, version_id, entry_key, status, reason,"
            " epoch, hold_no, seq, state, trigger, depth, priority, error_node, error_code, error, created_at,"
            f" updated_at) SELECT {made}, %(company)s, %(workflow)s, %(version)s, 'made:' || n, %(status)s, '', 0, 0,"
            " 0, %(state)s::jsonb, '{}', 0, 5, '', '', '', now(), now() FROM generate_series(%(from)s, %(to)s) n",
            told,
        )
        if waiting:
            cursor.execute(
                "INSERT INTO workflows_runtimer (id, company_id, run_id, token, due_at, told, created_at, updated_at)"
                f" SELECT {made}, %(company)s, {made}, '0', {due}, false, now(), now()"
                " FROM generate_series(%(from)s, %(to)s) n",
                told,
            )
        else:
            cursor.execute(
                "INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)"
                f" SELECT {made}, %(company)s, {made}, 5, now(), now() FROM generate_series(%(from)s, %(to)s) n",
                told,
            )
        if number > 1000:
            cursor.execute("VACUUM ANALYZE workflows_workflowrun, workflows_runtimer, workflows_runready")


def _fairness(population: Population) -> Result:
    """Let a small company's runs arrive behind a mountain of a large one's."""
    big, small = population.big, population.other
    mountain, few = int(MOUNTAIN * population.scale), max(50, int(SMALL * min(1, population.scale)))
    nodes = [_node("a", "set", {"values": {"a": 1}})]
    _nothing_waits()
    for tenant, number in ((big, mountain), (small, few)):
        with company_scope(tenant.company_id):
            _make_runs(_published(tenant, "manual", nodes), tenant, number)
    begun, times, moved = perf_counter(), [], 0
    with company_scope(small.company_id):
        while RunReady.objects.exists():
            before = RunReady.objects.count()
            moved += slices.work_slice()
            times += [perf_counter() - begun] * (before - RunReady.objects.count())
        assert WorkflowRun.objects.filter(status="completed").count() >= few
    taken = perf_counter() - begun
    _nothing_waits()
    figures = (
        f"{few:,} runs behind {mountain:,}: p50 {times[len(times) // 2]:.2f} s; meanwhile {moved - few:,} of the"
        f" others, {moved / taken:,.0f} runs/s in one process"
    )
    return Result("workflows: a small company's runs behind a mountain", figures, taken, 10, unit="s")


def imports(population: Population) -> list[Result]:
    """Import a file with a workflow on contact.created, without its runs, with them, and with them behind others."""
    tenant, rows = population.other, int(ROWS * population.scale)
    taken: dict[str, float] = {}
    ended: dict[str, int] = {}
    nodes = [_node("a", "contact", {"action": "update", "values": {"name": "{{ contact.name | trim }}!"}})]
    with override_settings(**FAST):
        with company_scope(tenant.company_id):
            workflow = _published(tenant, "contact.created", nodes)
        for place, mode in enumerate(("skip", "run", "queue")):
            file = write_csv(raw.log_file().parent / f"{mode}.csv", rows, FIRST + place * ROWS * 10)
            create_import(tenant, file, mode)
            with _only_new(tenant, workflow) as ended_now:
                taken[mode] = seconds(_work_all)
                ended[mode] = ended_now()
    assert ended["skip"] == 0
    figures = "; ".join(f"{mode} {taken[mode]:.0f} s, {ended[mode]:,} runs" for mode in taken)
    return [
        Result(
            f"workflows: an import of {rows:,} rows with a run each, {mode}", figures, taken[mode] / taken["skip"], None
        )
        for mode in ("run", "queue")
    ]


@contextmanager
def _only_new(tenant: Tenant, workflow: str) -> Iterator[Any]:
    since = timezone.now()
    with company_scope(tenant.company_id):
        runs = WorkflowRun.objects.filter(workflow=workflow, created_at__gte=since, status="completed")
    yield lambda: _count(tenant, runs)


def _count(tenant: Tenant, runs: Any) -> int:
    with company_scope(tenant.company_id):
        return int(runs.count())


def _work_all() -> None:
    """Do all work that there is, in this process."""
    names = ("import", "events", "workflow-backlog", "workflow-runs")
    while any(WORK[name].due() for name in names):  # type: ignore[attr-defined]
        for name in names:
            WORK[name].drain(float("inf"))  # type: ignore[attr-defined]
