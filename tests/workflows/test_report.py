"""GET /logs/report of workflows: by the time at which runs began, leading to the list of runs."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.tenancy import use_owner_role
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of
from workflows.models import Workflow, WorkflowRun, WorkflowVersion

pytestmark = pytest.mark.django_db


def make_run(version: WorkflowVersion, status: str, days: int = 0) -> WorkflowRun:
    run = WorkflowRun.objects.create(
        workflow=version.workflow, version=version, entry_key=f"{status}-{days}", status=status
    )
    moment: datetime = timezone.now() - timedelta(days=days)
    WorkflowRun.objects.filter(pk=run.pk).update(created_at=moment)
    return run


def make_version() -> WorkflowVersion:
    return WorkflowVersion.objects.create(workflow=Workflow.objects.create(name="Welcome"), number=1, graph={})


def test_runs_are_told_by_what_became_of_them(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        version = make_version()
        statuses = ("completed", "failed", "paused", "waiting", "cancelled", "completed")
        made = [make_run(version, status, place * 7) for place, status in enumerate(statuses)]
    with outsiders.scope():
        make_run(make_version(), "completed")
    (row,) = cast.key.get("/logs/report", reportType="workflows", by="workflow").data["rows"]
    told = {name: row[name] for name in ("label", "runs", "underWay", "completed", "failed", "cancelled")}
    assert told == {"label": "Welcome", "runs": 5, "underWay": 2, "completed": 1, "failed": 1, "cancelled": 1}
    assert (row["completedRate"], row["failureRate"]) == (20.0, 20.0)

    client = enter(cast.owner)
    page = html_of(client.get(at(cast.owner, "reports?reportType=workflows&by=status")))
    link = re.search(r'<a class="link" href="([^"]+)">Failed</a>', page)
    assert link is not None
    runs = client.get(unescape(link[1]))
    assert "Records of the report" in text_of(runs)
    assert [one.pk for one in made if f"/workflow-runs/{one.pk}" in html_of(runs)] == [made[1].pk]
    tile = {"reportType": "workflows", "by": "day", "chart": "line", "metric": "failureRate"}
    board = cast.session.post("/dashboard", {"name": "Runs", "tiles": [tile]}).data
    (shown,) = cast.session.get(f"/dashboard/{board['_id']}/data").data["tiles"]
    assert shown["data"]["totals"]["failureRate"] == 20.0


COPY = """
INSERT INTO workflows_workflowrun (id, entry_key, created_at, updated_at, {others})
SELECT lpad(n::text, 24, '0'), n::text, at, at, {others}
FROM workflows_workflowrun, generate_series(1, 3000) AS n,
    LATERAL (SELECT now() - n * interval '3 hours') AS t (at)
WHERE id = %s
"""


def test_runs_are_found_by_the_time_they_began(cast: Cast) -> None:
    """Among many more, under the role and the policies of requests."""
    known = {"id", "entry_key", "created_at", "updated_at", "nodes"}
    others = ", ".join(f'"{one.column}"' for one in WorkflowRun._meta.local_concrete_fields if one.column not in known)
    with cast.scope():
        run = make_run(make_version(), "completed")
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute(COPY.format(others=others), [run.pk])
            cursor.execute("ANALYZE workflows_workflowrun")
        with CaptureQueriesContext(connection) as asked:
            assert cast.session.get("/logs/report", reportType="workflows", by="day").data["totals"]["runs"] > 200
        (statement,) = [one["sql"] for one in asked if "number_" in one["sql"]]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {statement}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
    assert re.search("Index Cond: .*created_at >=", plan), plan
    assert "Seq Scan on workflows_workflowrun" not in plan
