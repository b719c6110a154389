"""The migration that makes the statuses of existing companies their default pipeline."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from django.db import connection

from core.tenancy import use_owner_role
from crm.models import CustomField, Lead, Pipeline, Stage, StageChange
from tests.crm.pipelines.helpers import default_pipeline
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory

migration: Any = import_module("crm.migrations.0027_place_leads_in_stages")
DISABLE = "ALTER TABLE crm_lead DISABLE TRIGGER USER"
ENABLE = "ALTER TABLE crm_lead ENABLE TRIGGER USER"


def test_leads_come_to_the_stages_of_their_statuses_by_batches(cast: Cast, monkeypatch: Any) -> None:
    monkeypatch.setattr(migration, "BATCH", 2)
    before = default_pipeline(cast)
    with cast.scope():
        leads = [LeadFactory(status=status).pk for status in ("new", "won", "junk", "gone", "lost")]
        field = CustomField.objects.get(panel="lead", unique_field_id="status")
        junk = {"label": "Junk", "value": "junk", "description": "closed, not for us"}
        CustomField.objects.filter(pk=field.pk).update(options=[*field.options, junk])
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(DISABLE)
        cursor.execute("UPDATE crm_lead SET stage_id = NULL, pipeline_id = NULL")
        cursor.execute("DELETE FROM crm_stage")
        cursor.execute("DELETE FROM crm_pipeline")
        cursor.execute(ENABLE)
        editor = SimpleNamespace(connection=connection)
        for _ in range(2):
            migration.add_default_pipelines(None, editor)
            migration.place_leads(None, editor)
    after = default_pipeline(cast)
    wanted = [(stage["name"], stage["kind"], stage["probability"], stage["status"]) for stage in before["stages"]]
    assert [(stage["name"], stage["kind"], stage["probability"], stage["status"]) for stage in after["stages"]] == [
        *wanted,
        ("Junk", "lost", 0, "junk"),
    ]
    with cast.scope():
        stages = dict(Stage.objects.values_list("pk", "status"))
        placed = {pk: stages.get(stage) for pk, stage in Lead.objects.values_list("pk", "stage_id")}
        assert placed == dict(zip(leads, ("new", "won", "junk", None, "lost"), strict=True))
        assert set(Lead.objects.values_list("pipeline_id", flat=True)) == {Pipeline.objects.get().pk}
        assert not StageChange.objects.exists()
