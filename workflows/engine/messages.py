"""Runs that wait for a message of theirs: they resume when it has been sent, or has ended otherwise."""

from __future__ import annotations

from collections import defaultdict
from time import monotonic

from django.db import transaction

from core.tenancy import company_scope, unscoped
from outreach.runs.genie.automated import ended_awaited_messages
from workflows.engine.waits.inbox import Arrival, put

BATCH = 500
KIND = "message"
"""The kind of the arrivals."""


def resume_runs(deadline: float = float("inf")) -> None:
    """Resume the runs whose messages have ended, until there is none left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: messages of all companies that runs wait for"):
            messages = list(ended_awaited_messages().values_list("pk", "company_id")[:BATCH])
        by_company: dict[str, list[str]] = defaultdict(list)
        for id, company in messages:
            by_company[company].append(id)
        for company, ids in by_company.items():
            # A transaction per company: one that fails does not hold up the others.
            with company_scope(company), transaction.atomic():
                _resume_runs(ids)
        if len(messages) < BATCH:
            return


def _resume_runs(ids: list[str]) -> None:
    """Resume the runs once: a message that another worker has handled is skipped."""
    rows = ended_awaited_messages().filter(pk__in=ids).select_for_update(of=("self",), skip_locked=True)
    jobs = list(rows.only("workflow_run", "workflow_waits", "status", "reason"))
    put(
        [
            Arrival(
                job.workflow_run,
                job.workflow_waits["token"],
                job.workflow_waits["epoch"],
                KIND,
                {"id": job.pk, "status": job.status, "reason": job.reason},
            )
            for job in jobs
        ]
    )
    ended_awaited_messages().filter(pk__in=[job.pk for job in jobs]).update(workflow_waits=None)
