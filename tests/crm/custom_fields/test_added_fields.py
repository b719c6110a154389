"""System fields that a later version adds: every company gets them, and keeps the own fields in their way."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.state import ProjectState

from core.errors import NamedError
from core.tenancy import unscoped
from crm.custom_fields.added_fields import add_system_field, free_keys, seed_system_fields
from crm.custom_fields.system_fields import SYSTEM_FIELDS
from crm.models import BulkJob, CustomField, Lead
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory

pytestmark = pytest.mark.django_db

PANEL = "productService"


def lose(cast: Cast, key: str = "sku") -> None:
    """Remove a system field of the company, as before the version that adds it."""
    with cast.scope():
        CustomField.objects.filter(panel=PANEL, unique_field_id=key).delete()


def run_migration(key: str = "sku", *, back: bool = False) -> None:
    operation, state = add_system_field(PANEL, key), ProjectState.from_apps(apps)
    with unscoped(reason="a migration"), connection.schema_editor() as editor:
        run = operation.database_backwards if back else operation.database_forwards
        run("crm", editor, state, state)


def fields(cast: Cast) -> dict[str, tuple[str, bool]]:
    with cast.scope():
        return {row.unique_field_id: (row.name, row.is_system) for row in CustomField.objects.filter(panel=PANEL)}


def own(cast: Cast, key: str, name: str) -> CustomField:
    """Create an own field with this key and name."""
    with cast.scope():
        field = add_field(key, panel=PANEL)
        CustomField.objects.filter(pk=field.pk).update(name=name)
        return field


def record_with(cast: Cast, key: str, value: str) -> str:
    """Create a record with the value in an own field, whose key may be that of a column of today."""
    own(cast, "temporary", "Temporary")
    id: str = cast.key.post("/product-service", {"formData": {"name": "Lamp", "temporary": value}}).data["_id"]
    with cast.scope(), connection.cursor() as cursor:
        CustomField.objects.filter(panel=PANEL, unique_field_id="temporary").update(unique_field_id=key)
        statement = "UPDATE crm_productservice SET custom = jsonb_build_object(%s::text, %s::text) WHERE id = %s"
        cursor.execute(statement, [key, value, id])
    return id


@pytest.mark.parametrize("way", ["migration", "seed", "reset"])
@pytest.mark.parametrize(
    ("key", "name", "new_key", "new_name"),
    [
        ("sku", "Own number", "sku2", "Own number"),
        ("shelf", "Article number", "shelf", "Article number 2"),
        ("sku", "Article number", "sku2", "Article number 2"),
    ],
)
def test_an_own_field_keeps_its_values(
    cast: Cast, outsiders: Cast, way: str, key: str, name: str, new_key: str, new_name: str
) -> None:
    for company in (cast, outsiders):
        lose(company)
    own(outsiders, "sku2", "Article number 2")
    id = record_with(cast, key, "A-7")
    with cast.scope():
        CustomField.objects.filter(panel=PANEL, unique_field_id=key).update(name=name)
    if way == "migration":
        run_migration()
    elif way == "seed":
        with cast.scope():
            seed_system_fields()
    else:
        assert cast.session.put("/custom-field/reset-system", {}).status == 200
    assert fields(cast)["sku"] == ("Article number", True)
    assert fields(cast)[new_key] == (new_name, False)
    values = cast.key.get(f"/product-service/{id}").data["formData"]
    assert (values[new_key], values["sku"]) == ("A-7", "")
    rows = cast.session.get("/product-service", filters=f'{{"{new_key}": "A-7"}}').data
    assert [row["_id"] for row in rows] == [id]
    answer = cast.key.put(f"/product-service/{id}", {"formData": {"sku": "S-1", new_key: "A-8"}})
    assert answer.data["formData"] | {"sku": "S-1", new_key: "A-8"} == answer.data["formData"]
    assert fields(outsiders)["sku2"] == ("Article number 2", False)
    assert ("sku" in fields(outsiders)) == (way == "migration")


def test_numbers_go_on_until_key_and_name_are_free(cast: Cast) -> None:
    lose(cast)
    own(cast, "sku2", "Article number 2")
    own(cast, "sku", "Article number")
    run_migration()
    run_migration()
    assert fields(cast)["sku"] == ("Article number", True)
    assert fields(cast)["sku3"] == ("Article number 3", False)


def test_a_long_key_and_name_stay_within_their_columns(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    key, name = "k" * 64, "n" * 200
    values = {"unique_field_id": key, "name": name, "field_type": "text", "value_type": "string"}
    monkeypatch.setitem(SYSTEM_FIELDS, PANEL, (*SYSTEM_FIELDS[PANEL], values))
    own(cast, key, name)
    run_migration(key)
    assert fields(cast)[key] == (name, True)
    assert fields(cast)["k" * 63 + "2"] == ("n" * 198 + " 2", False)
    with cast.scope():
        order = CustomField.objects.get(panel=PANEL, unique_field_id=key).order
    assert order == len(SYSTEM_FIELDS[PANEL])


def test_own_fields_make_room_for_a_new_name_of_leads(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        for key in ("deal", "stage2"):
            add_field(key, panel="lead")
        CustomField.objects.filter(unique_field_id="deal").update(unique_field_id="stage")
        lead = LeadFactory(custom={"stage": "warm", "stage2": "x"}).pk
        add_field("stage")  # of contacts
    with outsiders.scope():
        other = LeadFactory(custom={"stage": "kept"}).pk
    operation, state = free_keys("lead", ("stage", "pipeline")), ProjectState.from_apps(apps)
    with unscoped(reason="a migration"), connection.schema_editor() as editor:
        operation.database_forwards("crm", editor, state, state)
    with cast.scope():
        keys = CustomField.objects.filter(is_system=False).values_list("panel", "unique_field_id")
        assert set(keys) == {("lead", "stage3"), ("lead", "stage2"), ("contact", "stage")}
    values = cast.key.get(f"/lead/{lead}").data["formData"]
    assert (values["stage3"], values["stage2"], "stage" in values) == ("warm", "x", False)
    with outsiders.scope():
        assert Lead.objects.get(pk=other).custom == {"stage": "kept"}, "it has no such field"
    taken = {"name": "Stage", "fieldType": "text", "panel": "lead", "uniqueFieldID": "stage"}
    assert "stage is taken" in cast.key.post("/custom-field", taken).body["warning"]


def test_a_migration_can_be_reversed(cast: Cast) -> None:
    own(cast, "shelf", "Shelf")
    run_migration(back=True)
    assert "sku" not in fields(cast)
    assert fields(cast)["shelf"] == ("Shelf", False)


@pytest.mark.parametrize("status", ["queued", "paused", "completed"])
def test_a_job_that_works_on_the_values_is_waited_for(cast: Cast, status: str) -> None:
    lose(cast)
    field = own(cast, "sku", "Own number")
    with cast.scope():
        job = BulkJob.objects.create(action="delete-field", panel=PANEL, change={}, status=status, total=1)
        CustomField.objects.filter(pk=field.pk).update(job=job)
    if status == "completed":
        run_migration()
        assert fields(cast)["sku2"] == ("Own number", False)
        return
    with pytest.raises(NamedError, match=job.pk):
        run_migration()
    answer = cast.key.put("/custom-field/reset-system", {})
    assert (answer.status, answer.body["name"]) == (400, "CustomFieldNameAlreadyExists_400")
    assert fields(cast)["sku"] == ("Own number", False)


@pytest.mark.parametrize("own_key", [None, "sku"])
def test_a_system_value_without_its_field_is_refused(cast: Cast, own_key: str | None) -> None:
    lose(cast)
    if own_key:
        own(cast, own_key, "Own number")
    for client in (cast.key, cast.session):
        answer = client.post("/product-service", {"formData": {"name": "Lamp", "sku": "S-1"}})
        assert (answer.status, answer.body["name"]) == (400, "InvalidCustomField_400")
        assert "sku" in answer.body["warning"]
