"""Runs: from an event through nodes, waits, joins, loops and errors, and what members do to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.models import Event
from crm.models import Contact, ContactTag, FollowUp, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, steps, when, work


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def test_a_contact_goes_through_condition_change_tag_note_and_wait(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory()
    id = published(
        cast,
        [
            node("if", "condition", {"filter": when("contact.email", "endsWith", "example.org")}),
            node("set", "contact", {"action": "update", "values": {"name": "{{ contact.name | upper }}"}}),
            node("tag", "tags", {"tags": [tag.pk]}),
            node("wait", "wait", {"for": {"amount": 2, "unit": "days"}}),
            node("note", "note", {"notes": "Hello {{contact.name}}, {{steps.if.result}}"}),
        ],
        edges("if:true > set", "set > tag", "tag > wait", "wait > note"),
    )
    person = contact(cast)
    work()
    (run,) = runs(cast, id)
    assert (run.status, run.contact_id) == ("waiting", person)
    assert steps(cast, run) == [
        ("trigger", "done", "out"),
        ("if", "done", "true"),
        ("set", "done", "out"),
        ("tag", "done", "out"),
        ("wait", "waiting", ""),
    ]
    with cast.scope():
        assert Contact.objects.get(pk=person).name == "ANN EXAMPLE"
        assert ContactTag.objects.filter(contact=person, tag=tag).exists()
        # What a workflow changes says so, and does not start it again.
        changed = Event.objects.filter(kind="contact.updated", object_id=person).first()
        assert changed is not None and changed.cause == {"workflow": id, "depth": 1}
    answer = cast.key.get(f"/workflow/runs/{run.pk}")
    assert [wait["node"] for wait in answer.data["waits"]] == ["wait"]
    with time_machine.travel(timezone.now() + timedelta(days=2, seconds=1), tick=False):
        work()
    (run,) = runs(cast, id)
    assert (run.status, run.reason) == ("completed", "end")
    with cast.scope():
        assert LeadActivity.objects.get(kind="note").notes == "Hello ANN EXAMPLE, true"
        assert not FollowUp.objects.exists()
