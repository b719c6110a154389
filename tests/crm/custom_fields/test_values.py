"""The typed rows of custom values are always those of the records' values, whatever is written, converted or removed
in whatever order."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import NamedError
from core.ids import new_id
from core.jobs import WORK
from core.lists import BulkSelection
from crm.contacts.bulk import update_many
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.services import create_contact, update_contact
from crm.custom_fields import removal_jobs
from crm.custom_fields import services as custom_fields
from crm.custom_fields.services import FieldChange
from crm.models import BulkJob, Contact, CustomField, CustomFieldValue
from crm.records.stored_fields import spec_of
from tests.kit.cast import Cast
from tests.kit.examples import thorough

KEYS = ("first", "second")
TYPES = [
    ("text", "string"),
    ("number", "number"),
    ("multi-select", "array"),
    ("text", "any"),
    ("checkbox", "boolean"),
    ("date", "date"),
]
OPTIONS = [{"label": value, "description": "", "value": value} for value in ("1", "a", "b")]
VALUES = ["1", "a", 1, 0, 2.5, True, ["a"], ["a", "b"], ["1"], "2026-01-31", "a; b", {"a": 1}, None]

keys, values = st.sampled_from(KEYS), st.sampled_from(VALUES)
STEPS = st.one_of(
    st.tuples(st.just("create"), keys, values),
    st.tuples(st.just("update"), keys, values, st.integers(0, 3)),
    st.tuples(st.just("many"), keys, values, st.sampled_from(["set", "append", "remove", "clear"])),
    st.tuples(st.just("convert"), keys, st.sampled_from(TYPES), st.booleans(), st.booleans()),
    st.tuples(st.just("delete"), keys, st.booleans()),
    st.tuples(st.just("work")),
)


class World:
    """A company whose contacts and fields are changed by steps; what is refused changes nothing."""

    def __init__(self, cast: Cast) -> None:
        self.actor = cast.owner.pk
        self.number = 0

    def step(self, step: tuple[Any, ...]) -> None:
        name, *rest = step
        try:
            with transaction.atomic():
                getattr(self, name)(*rest)
        except NamedError:
            pass

    def create(self, key: str, value: Any) -> None:
        self.number += 1
        data = {
            "email": f"ann{self.number}@example.com",
            "countryCode": "+49",
            "number": f"170{1000000 + self.number}",
            key: value,
        }
        create_contact(actor_id=self.actor, form_data=data)

    def update(self, key: str, value: Any, place: int) -> None:
        ids = list(Contact.objects.order_by("pk").values_list("pk", flat=True))
        if place < len(ids):
            update_contact(id=ids[place], actor_id=self.actor, form_data={key: value})

    def many(self, key: str, value: Any, update_type: str) -> None:
        selection = BulkSelection.parse({"selectAll": True}, {}, CONTACT_FIELDS)
        update_many(actor_id=self.actor, selection=selection, form_data={key: value}, update_type=update_type)

    def convert(self, key: str, types: tuple[str, str], drop: bool, later: bool) -> None:
        self.size(later)
        field = CustomField.objects.filter(unique_field_id=key).first()
        if field is not None:
            change = {"field_type": types[0], "value_type": types[1], "options": OPTIONS}
            custom_fields.update_fields(actor_id=self.actor, changes=[FieldChange(field.pk, change, drop)])

    def delete(self, key: str, later: bool) -> None:
        self.size(later)
        field = CustomField.objects.filter(unique_field_id=key).first()
        if field is not None:
            custom_fields.delete_fields(actor_id=self.actor, ids=[field.pk])
        elif not CustomField.every.filter(unique_field_id=key).exists():
            self.add(key)

    def add(self, key: str) -> None:
        CustomField.objects.create(id=new_id(), name=key, unique_field_id=key, field_type="text", value_type="string")

    def size(self, later: bool) -> None:
        custom_fields.INLINE_LIMIT = removal_jobs.INLINE_LIMIT = 0 if later else 1000

    def work(self) -> None:
        WORK["bulk-job"].drain(float("inf"))

    def staging(self) -> Any:
        """Return the hidden fields of failed conversions, which may be resumed."""
        return CustomField.every.exclude(deleted_at=None).filter(job__action="convert_field", job__status="failed")

    def leaving(self) -> Any:
        """Return the fields that a job removes. Nobody sees them, and their values may be stored under a hidden one."""
        return CustomField.every.exclude(deleted_at=None).filter(job__action="delete_field")

    def check(self) -> None:
        leaving = set(self.leaving().values_list("unique_field_id", flat=True))
        specs = {field.unique_field_id: spec_of(field) for field in CustomField.every.filter(is_system=False)}
        found = {
            (contact, field, position): (text, number, time)
            for contact, field, position, text, number, time in CustomFieldValue.objects.exclude(
                field_id__in=(self.staging() | self.leaving()).values("pk")
            ).values_list("contact_id", "field_id", "position", "text", "number", "time")
        }
        wanted = {}
        for id, custom in Contact.objects.values_list("pk", "custom"):
            for key, value in custom.items():
                assert specs[key].clean(value) == value
                if key in leaving:
                    continue
                rows = enumerate(specs[key].index_rows(value))
                wanted.update({(id, specs[key].id, position): tuple(row) for position, row in rows})
        assert found == wanted


@settings(
    max_examples=thorough(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEPS, min_size=4, max_size=14))
def test_typed_rows_follow_the_values(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[Any, ...]]
) -> None:
    monkeypatch.setattr(custom_fields, "INLINE_LIMIT", 1000)
    monkeypatch.setattr(removal_jobs, "INLINE_LIMIT", 1000)
    with cast.scope(), transaction.atomic():
        world = World(cast)
        for key in KEYS:
            world.add(key)
            world.create(key, "1")
        for step in steps:
            world.step(step)
            world.check()
        world.work()
        world.check()
        assert not BulkJob.objects.filter(status__in=["queued", "running"]).exists()
        in_use = CustomField.objects.exclude(stored_as=None).values_list("stored_as", flat=True)
        hidden = CustomField.every.exclude(deleted_at=None).exclude(pk__in=world.staging().values("pk"))
        assert sorted(hidden.values_list("pk", flat=True)) == sorted(in_use)
        transaction.set_rollback(True)
