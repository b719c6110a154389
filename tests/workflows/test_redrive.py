"""Runs in large: finding them, restarting many, and what an editor draws of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.jobs import WORK
from core.tenancy import unscoped, use_owner_role
from crm.models import BulkJob
from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, steps, when, work
from workflows.definitions.overlay import overlay_of
from workflows.engine import counters
from workflows.models import NodeCount, WorkflowRun


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast]]:
    with kept_for_module(django_db_blocker):
        yield make_cast(permission={"workflow": {"GET": True}}), make_cast()


@pytest.fixture
def cast(house: tuple[Cast, Cast], db: None) -> Cast:
    return house[0]


WAIT = {"for": {"amount": 1, "unit": "hours"}}


def failing(cast: Cast, mode: str = "always") -> tuple[str, dict[str, str]]:
    """Publish a workflow, in which Ann's run fails and Bob's waits. Returns it, and name -> contact."""
    nodes = [
        node("if", "condition", {"filter": when("contact.name", "equals", "Ann")}),
        node("bad", "contact", {"action": "update", "values": {"email": "{{ contact.none | default: 'no' }}"}}),
        node("wait", "wait", WAIT),
    ]
    config = {"enrolment": {"mode": mode}}
    id = published(cast, nodes, edges("if:true > bad", "if:false > wait"), config=config)
    people = {"Ann": contact(cast, name="Ann")}
    people["Bob"] = contact(cast, name="Bob", email="bob@example.org", number="1512345679")
    work()
    return id, people


def drained(answer: Any, cast: Cast) -> BulkJob:
    assert answer.status == 200, answer.body
    WORK["bulk-job"].drain(float("inf"))
    with cast.scope():
        return BulkJob.objects.get(pk=answer.body["bulkJob"])


def tree_of(field: str, operator: str, value: Any) -> dict[str, str]:
    """Return the query of a list whose records meet the condition."""
    return {"advancedFilters": json.dumps(when(field, operator, value))}


def found(cast: Cast, field: str, operator: str, value: Any) -> int:
    answer = cast.key.get("/workflow/runs", p=1, n=10, **tree_of(field, operator, value))
    assert answer.status == 200, answer.body
    return len(answer.data)


def test_runs_are_found_by_where_they_stand_and_why(cast: Cast) -> None:
    id, people = failing(cast)
    assert [found(cast, "node", "equals", name) for name in ("bad", "wait", "if")] == [1, 1, 0]
    assert found(cast, "node", "in", ["bad", "wait"]) == 2
    assert found(cast, "node", "notEquals", "wait") == 1
    assert found(cast, "contact", "equals", people["Ann"]) == 1
    code = runs(cast, id)[0].error_code
    assert found(cast, "errorCode", "equals", code) == 1
    assert found(cast, "startedAt", "withinLast", {"amount": 1, "unit": "hours"}) == 2
    for name in ("status", "reason", "workflow", "version", "errorCode", "startedAt", "finishedAt"):
        answer = cast.key.get("/workflow/runs", p=1, n=10, sortBy=name, sortOrder="desc")
        assert (answer.status, len(answer.data)) == (200, 2), answer.body


def test_many_runs_begin_again_by_a_job(cast: Cast, house: tuple[Cast, Cast]) -> None:
    id, people = failing(cast)
    ann, bob = runs(cast, id)
    assert cast.key.post("/workflow/runs/redrive", {"selectAll": True, "from": "zork"}).status == 400
    answer = cast.key.post("/workflow/runs/redrive", {"selectAll": True})
    job = drained(answer, cast)
    # Bob's run has not failed anywhere, so it stays as it is.
    assert (answer.data, job.status, job.total, job.processed) == ({"selectedCount": 2}, "completed", 2, 2)
    assert (job.changed, job.failed, list(job.report["failed"])) == (1, 1, [bob.pk])
    work()
    assert [run.status for run in runs(cast, id)] == ["failed", "waiting"]
    assert [name for name, *_ in steps(cast, ann)] == ["trigger", "if", "bad", "bad"]
    # In the latest version, from its start.
    again = [node("end", "set", {"values": {"a": 1}})]
    assert cast.key.put(f"/workflow/{id}", {"nodes": again, "edges": []}).status == 200
    assert cast.key.post(f"/workflow/{id}/publish").status == 200
    body = {"ids": [ann.pk, bob.pk], "from": "start", "version": "latest", "resend": True}
    job = drained(cast.key.post("/workflow/runs/redrive", body), cast)
    assert (job.changed, job.failed) == (2, 0)
    work()
    assert [(run.status, run.state["generation"]) for run in runs(cast, id)] == [("completed", 1), ("completed", 1)]
    shown = cast.session.get(f"/bulk-job/{job.pk}").data
    assert (shown["action"], shown["panel"], shown["canUndo"]) == ("redrive_runs", "workflow", False)
    # Who may not write workflows may not restart their runs; other companies do not see them.
    assert cast.narrow_session.post("/workflow/runs/redrive", body).status == 403
    assert house[1].key.post("/workflow/runs/redrive", body).status == 404
    assert cast.key.post("/workflow/runs/redrive", {}).status == 400


def test_a_step_that_failed_keeps_what_it_was_given(cast: Cast) -> None:
    id, _ = failing(cast)
    ann, _ = runs(cast, id)
    path = f"/workflow/runs/{ann.pk}/steps"
    found = {one["node"]: one["input"] for one in cast.key.get(path).data}
    # The settings with the values that they had; of steps that are done nothing is kept.
    assert found["bad"].items() >= {"action": "update", "values": {"email": "no"}}.items()
    assert (found["trigger"], found["if"]) == (None, None)
    assert {one["input"] for one in cast.narrow_session.get(path).data} == {None}


def test_how_long_steps_take_is_counted_by_half_octaves() -> None:
    assert [counters.bucket(one) for one in (None, 0.2, 1, 1.1, 2, 1000, 86_400_000)] == [None, 0, 0, 1, 2, 20, 53]
    assert counters.percentiles({0: 50, 20: 45, 27: 5}, 0.5, 0.95, 0.951) == [1, 1024, 11585]
    assert counters.percentiles({4: 1}, 0.5, 0.95) == [4, 4]


def test_a_record_with_a_live_run_gets_no_second_one(cast: Cast) -> None:
    id, people = failing(cast, "whenIdle")
    (ann, _) = runs(cast, id)
    assert cast.key.post(f"/workflow/{id}/enrol", {"ids": [people["Ann"]]}).data["startedCount"] == 1
    answer = cast.key.post(f"/workflow/runs/{ann.pk}/restart", {"from": "start"})
    assert (answer.status, "same record" in answer.body["warning"]) == (400, True)
    job = drained(cast.key.post("/workflow/runs/redrive", {"ids": [ann.pk], "from": "start"}), cast)
    assert (job.changed, "same record" in job.report["failed"][ann.pk]) == (0, True)


def test_the_overlay_says_where_runs_are_and_what_they_did(cast: Cast, house: tuple[Cast, Cast]) -> None:
    id, _ = failing(cast)
    data = cast.key.get(f"/workflow/{id}/overlay").data
    assert {node: {name: one[name] for name in ("now", "done")} for node, one in data["nodes"].items()} == {
        "trigger": {"now": {}, "done": {"out": 2}},
        "if": {"now": {}, "done": {"true": 1, "false": 1}},
        "bad": {"now": {"failed": 1}, "done": {"failed": 1}},
        "wait": {"now": {"waiting": 1}, "done": {"waiting": 1}},
    }
    assert data["runCounts"] == {"failed": 1, "waiting": 1}
    assert (data["nodes"]["wait"]["took"], sorted(data["nodes"]["bad"]["took"])) == (None, ["p50", "p95"])
    contact(cast, name="Cid", email="cid@example.org", number="1512345670")
    with unscoped(reason="test: counts of all companies"), transaction.atomic():
        loose = list(NodeCount.objects.values_list("node", "outcome", "took"))
        counters.compact_hour()
        assert (NodeCount.objects.count(), len(loose) >= 5) == (len(set(loose)), True)
    work()
    with unscoped(reason="test: counts of all companies"), transaction.atomic():
        counters.compact_hour()
    after = cast.key.get(f"/workflow/{id}/overlay", version="1").data["nodes"]
    assert (after["if"]["done"], after["wait"]["now"]) == ({"true": 1, "false": 2}, {"waiting": 2})
    late = cast.key.get(f"/workflow/{id}/overlay", since="2100-01-01T00:00:00Z").data["nodes"]
    assert {node: one["done"] for node, one in late.items()} == {"bad": {}, "wait": {}}
    assert cast.key.get(f"/workflow/{id}/overlay", version="9").status == 404
    assert cast.key.get(f"/workflow/{id}/overlay", since="yesterday").status == 400
    assert house[1].key.get(f"/workflow/{id}/overlay").status == 404


RUNS = """
INSERT INTO workflows_workflowrun
    (id, company_id, workflow_id, version_id, entry_key, status, reason, epoch, hold_no, seq, state, trigger, depth,
     priority, error_node, error_code, error, started_at, finished_at, created_at, updated_at)
SELECT lpad(to_hex(n), 12, '0') || right(id, 12), company_id, workflow_id, version_id, 'n' || n,
    CASE WHEN n %% 50 = 0 THEN 'failed' WHEN n %% 40 = 0 THEN 'waiting' ELSE 'completed' END, '', 0, 0, 1,
    jsonb_build_object('tokens', CASE WHEN n %% 40 = 0 THEN '{"1": ["wait", "0", "wait", 1]}'::jsonb ELSE '{}' END),
    '{}', 0, 5, '', CASE WHEN n %% 50 = 0 THEN 'e' || n %% 500 ELSE '' END, '', created_at + n * interval '1 s',
    created_at + n * interval '2 s', created_at + n * interval '1 s', created_at
FROM workflows_workflowrun, generate_series(1, 3000) AS n WHERE id = ANY(%s)
"""
TABLE = 'FROM "workflows_workflowrun"'
PLANS = [
    ({"sortBy": "finishedAt", "sortOrder": "desc"}, "workflowrun_finished"),
    (tree_of("finishedAt", "before", "2020-01-01T00:00:00Z"), "workflowrun_finished"),
    (tree_of("errorCode", "equals", "e50"), "workflowrun_error"),
]


def test_lists_and_overlays_read_indexes(cast: Cast) -> None:
    id, _ = failing(cast)
    first, second = runs(cast, id)
    other = published(cast, [node("end", "stop")], edges())
    version = cast.key.get(f"/workflow/{other}/versions", p=1, n=1).data[0]["_id"]
    with cast.scope(), connection.cursor() as cursor:
        WorkflowRun.objects.filter(pk=second.pk).update(workflow=other, version=version)
        cursor.execute(RUNS, [[first.pk, second.pk]])
        with use_owner_role():
            cursor.execute("ANALYZE workflows_workflowrun")

        def plan(sql: str, params: Any = None) -> str:
            cursor.execute(f"EXPLAIN {sql}", params)
            return "\n".join(line for (line,) in cursor.fetchall())

        for query, index in PLANS:
            with CaptureQueriesContext(connection) as asked:
                assert cast.key.get("/workflow/runs", p=1, n=20, **query).status == 200
            found = plan(next(one["sql"] for one in asked.captured_queries if TABLE in one["sql"]))
            assert (index in found, "Seq Scan on workflows_workflowrun" in found) == (True, False), (query, found)
        with CaptureQueriesContext(connection) as asked:
            overlay_of(id)
        found = plan(asked.captured_queries[0]["sql"])
        assert "workflowrun_live" in found, found


def test_what_failed_goes_on_in_a_version_that_mends_it(cast: Cast) -> None:
    id, people = failing(cast)
    ann, _ = runs(cast, id)
    path = f"/workflow/runs/{ann.pk}"

    def publish(*nodes: dict[str, Any], ways: tuple[str, ...] = ("trigger > if", "if:true > bad")) -> None:
        drawn = [node("trigger", "trigger"), node("if", "condition", {"filter": when("contact.name", "equals", "X")})]
        draft = {"nodes": [*drawn, *nodes], "edges": edges(*ways)}
        assert cast.key.put(f"/workflow/{id}", draft).status == 200
        assert cast.key.post(f"/workflow/{id}/publish").status == 200

    # The node that failed is another type's, or gone: nothing changes.
    for nodes in ([node("bad", "set", {"values": {"a": 1}})], [node("other", "stop")]):
        publish(*nodes, ways=("trigger > if", f"if:true > {nodes[0]['id']}"))
        answer = cast.key.post(f"{path}/restart", {"from": "failed", "version": "latest"})
        assert (answer.status, "version: the run stands at 'bad'" in answer.body["warning"]) == (400, True)
        assert cast.key.get(path).data["version"] == 1
    # It is mended: the run goes on there, and what was done before is not done again.
    publish(node("bad", "contact", {"action": "update", "values": {"name": "Anna"}}))
    data = cast.key.get(path).data
    assert (data["version"], data["workflow"]["version"], data["workflow"]["status"]) == (1, 4, "published")
    answer = cast.key.post(f"{path}/restart", {"from": "failed", "version": "latest"})
    assert (answer.status, answer.data["version"], answer.data["failure"]) == (200, 4, None), answer.body
    work()
    assert runs(cast, id)[0].status == "completed"
    assert [name for name, *_ in steps(cast, ann)] == ["trigger", "if", "bad", "bad"]
    assert cast.key.get(f"/contact/{people['Ann']}").data["name"] == "Anna"
