"""The backlog counts the rows that the work itself would claim."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.jobs.backlog import read_backlogs
from core.jobs.registry import queue_work_by_name
from core.tenancy import unscoped
from outreach.models import Form
from tests.guards.population import populate
from tests.kit.cast import Cast


def waiting() -> dict[str, int]:
    with unscoped(reason="test: work of all companies"):
        return {backlog.name: backlog.waiting for backlog in read_backlogs()}


def test_forms_count_only_where_a_platform_is_asked(cast: Cast) -> None:
    sorts = [("own", "published"), ("own", "draft"), ("social-a", "draft"), ("social-a", "paused")]
    with cast.scope():
        for number, (source, state) in enumerate(sorts):
            Form.objects.create(name=f"F{number}", token=f"{number}" * 32, source=source, state=state, form_id=number)
    assert waiting()["form-gaps"] == 0
    due_at = timezone.now() - timedelta(hours=3)
    with cast.scope():
        for number in (7, 8):
            place: dict[str, Any] = {"token": f"{number}" * 32, "form_id": number, "due_at": due_at}
            Form.objects.create(name=f"F{number}", source="social-a", state="published", **place)
    assert waiting()["form-gaps"] == 2
    with unscoped(reason="test: work of all companies"):
        oldest = next(backlog.oldest for backlog in read_backlogs() if backlog.name == "form-gaps")
    assert oldest == due_at


def test_mails_wait_for_nothing_without_a_server(cast: Cast, settings: Any) -> None:
    populate(cast)
    settings.SENDS_MAIL = False
    assert waiting()["mails"] == 0


@pytest.mark.parametrize("active", [True, False])
def test_each_kind_counts_what_it_claims(cast: Cast, active: bool) -> None:
    record_ids = populate(cast)
    kinds = [work for work in queue_work_by_name().values() if work.model is not None]
    past = timezone.now() - timedelta(minutes=5)
    with unscoped(reason="test: work of all companies"):
        for model, id in record_ids.items():
            names = {field.name for field in model._meta.concrete_fields}
            switches = {name: active for name in ("is_active", "verified") if name in names}
            if switches:
                model._default_manager.filter(pk=id).update(**switches)
        for work in kinds:
            assert work.model is not None
            ready = work.model.claim_policy.ready
            work.model._default_manager.update(status=ready, due_at=past)
    counts = waiting()
    compared = 0
    with unscoped(reason="test: work of all companies"):
        for work in kinds:
            rows = [rows for rows in work.rows_due_at(timezone.now()) if rows.model is work.model]
            if rows:
                assert counts[work.name] == rows[0].count(), work.name
                compared += 1
    assert compared > 15
