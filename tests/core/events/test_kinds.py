"""The kinds of events have one spelling, and stored ones of the old spelling take the new one."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.roles.permissions import MODULES
from core.events import emit
from core.events.consumers import EventConsumer
from core.events.kinds import EVENTS, KINDS
from core.ids import new_id
from core.jobs.registry import registered
from core.models import Event, EventDelivery
from core.tenancy import company_id
from tests.kit.cast import Cast

PARTS = {"calllog", "contact-category", "follow-up", "mail", "note"}
"""Resources without a permission module of their own name."""
RENAMED = importlib.import_module("core.migrations.0004_event_kinds")


def test_each_kind_is_a_resource_and_a_past_participle() -> None:
    assert set(EVENTS) - PARTS <= set(MODULES)
    for kind in KINDS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.[a-z]+", kind), kind
        assert kind.endswith(("ed", "sent")), kind
    for consumer in registered(EventConsumer).values():
        assert set(consumer.kinds) <= KINDS


def test_the_source_emits_these_kinds_alone() -> None:
    """Kinds that no test emits are checked as well."""
    found: set[str] = set()
    for app in ("accounts", "billing", "crm", "outreach"):
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            if "migrations" not in path.parts:
                found |= set(re.findall(r'emit\(\s*"([^"]+)"', path.read_text()))
    assert len(found) > 15
    assert found <= KINDS


def test_another_spelling_is_refused(scope: Cast) -> None:
    with pytest.raises(ValueError, match="follow_up.created is no kind of event"):
        emit("follow_up.created", [new_id()])


def test_stored_events_take_the_new_spelling(scope: Cast, outsiders: Cast) -> None:
    lead = new_id()
    for old in RENAMED.KINDS:
        event = Event.objects.create(kind=old, object_id=new_id(), payload={"lead": lead})
        EventDelivery.objects.create(event=event, consumer="activities", due_at=event.created_at)
    with outsiders.scope():
        Event.objects.create(kind="call.logged", object_id=new_id())
    RENAMED.forwards(None, _Editor())
    assert set(Event.objects.values_list("kind", flat=True)) == set(RENAMED.KINDS.values()) <= KINDS
    assert EventDelivery.objects.filter(event__kind="calllog.created", company_id=company_id()).count() == 1
    with outsiders.scope():
        assert list(Event.objects.values_list("kind", flat=True)) == ["calllog.created"]
    RENAMED.backwards(None, _Editor())
    assert set(Event.objects.values_list("kind", flat=True)) == set(RENAMED.KINDS)


class _Editor:
    """What migrations read of a schema editor."""

    connection: Any = connection
