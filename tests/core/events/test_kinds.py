"""The kinds of events have one spelling."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from accounts.roles.permissions import MODULES
from core.events import emit
from core.events.consumers import EventConsumer
from core.events.kinds import EVENT_KINDS, EVENTS
from core.ids import new_id
from core.jobs.registry import work_by_name
from tests.kit.cast import Cast

PARTS = {
    *(
        "calllog",
        "comment",
        "contact-category",
        "conversation",
        "dashboard",
        "follow-up",
        "form",
        "invoice",
        "mail",
        "note",
    ),
    *("organization", "payment", "quote", "task"),
}
"""Resources without a permission module of their own name."""


def test_each_kind_is_a_resource_and_a_past_participle() -> None:
    assert set(EVENTS) - PARTS <= set(MODULES)
    for kind in EVENT_KINDS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.[a-z]+", kind), kind
        assert kind.endswith(("ed", "left", "paid", "sent", "woken")), kind
    for consumer in work_by_name(EventConsumer).values():
        assert set(consumer.kinds) <= EVENT_KINDS


def test_the_source_emits_these_kinds_alone() -> None:
    """Kinds that no test emits are checked as well."""
    found: set[str] = set()
    for app in ("accounts", "billing", "crm", "outreach"):
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            if "migrations" not in path.parts:
                found |= set(re.findall(r'emit\(\s*"([^"]+)"', path.read_text()))
    assert len(found) > 15
    assert found <= EVENT_KINDS


def test_another_spelling_is_refused(scope: Cast) -> None:
    with pytest.raises(ValueError, match="follow_up.created is no kind of event"):
        emit("follow_up.created", [new_id()])
