"""Claims of notices: the companies of the next slice, and row locks on their notices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from django.db import connection

from workflows.engine.models import RunReady

MAX_RUNS = 200
MAX_COMPANIES = 20
"""Maximum number of companies of a slice; MAX_RUNS is that of its runs."""
_last_company = ""
"""The company that this process has served last: the next slice starts after it."""

DUE_COMPANIES = """
WITH RECURSIVE due AS (
    (SELECT company_id FROM workflows_runready WHERE company_id > %(after)s ORDER BY company_id LIMIT 1)
    UNION ALL
    SELECT (SELECT company_id FROM workflows_runready r WHERE r.company_id > due.company_id
            ORDER BY company_id LIMIT 1)
    FROM due WHERE due.company_id IS NOT NULL
) SELECT company_id FROM due WHERE company_id IS NOT NULL LIMIT %(most)s
"""
# Runs of many records at once (priority 9) come after the others, and are at most a fifth as many next to them.
CLAIM = """
SELECT picked.id, picked.run_id FROM unnest(%(companies)s::text[]) AS company CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT id, run_id FROM workflows_runready WHERE company_id = company AND priority < 9
        ORDER BY priority, id LIMIT %(most)s FOR UPDATE SKIP LOCKED
    ) fresh
    UNION ALL SELECT * FROM (
        SELECT id, run_id FROM workflows_runready WHERE company_id = company AND priority >= 9
        ORDER BY priority, id LIMIT CASE WHEN EXISTS (
            SELECT FROM workflows_runready other WHERE other.company_id = company AND other.priority < 9
        ) THEN %(most)s / 5 ELSE %(most)s END FOR UPDATE SKIP LOCKED
    ) behind
) AS picked
"""


def due_companies() -> list[str]:
    """Return the companies of the next slice: that of the oldest notice, and those after the last one served."""
    global _last_company
    with connection.cursor() as cursor:
        cursor.execute(DUE_COMPANIES, {"after": _last_company, "most": MAX_COMPANIES})
        company_ids = [id for (id,) in cursor.fetchall()]
        if len(company_ids) < MAX_COMPANIES:
            # The round ends here, so the rest comes from its start: every company gets a turn.
            cursor.execute(DUE_COMPANIES, {"after": "", "most": MAX_COMPANIES - len(company_ids)})
            company_ids += [id for (id,) in cursor.fetchall()]
        if len(company_ids) >= MAX_COMPANIES:
            # The oldest notice's company always takes part, so that none waits longer than a slice.
            cursor.execute("SELECT company_id FROM workflows_runready ORDER BY id LIMIT 1")
            company_ids = [*(id for (id,) in cursor.fetchall()), *company_ids]
    company_ids = list(dict.fromkeys(company_ids))[:MAX_COMPANIES]
    _last_company = company_ids[-1] if len(company_ids) >= MAX_COMPANIES else ""
    return company_ids


def claim(companies: Sequence[str], *, without: Collection[str]) -> dict[str, list[str]]:
    """Lock the next notices of the companies. Returns run -> its notices, of runs that go with others."""
    if not companies:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, {"companies": list(companies), "most": max(10, MAX_RUNS // len(companies))})
        notices: dict[str, list[str]] = defaultdict(list)
        for id, run_id in cursor.fetchall():
            if run_id not in without:
                notices[run_id].append(id)
    return notices


def lock(claimed: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Lock the notices that are free. Returns run -> its notices."""
    ids = [id for notices in claimed.values() for id in notices]
    # Read without an order: SKIP LOCKED never waits, so it cannot deadlock.
    locked = RunReady.objects.filter(pk__in=ids).select_for_update(of=("self",), skip_locked=True).order_by()
    notices_by_run: dict[str, list[str]] = defaultdict(list)
    for id, run_id in locked.values_list("pk", "run_id"):
        notices_by_run[run_id].append(id)
    return notices_by_run
