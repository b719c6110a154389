"""The node that adds contacts to the suppression list, and notices to the owner of a lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.notifications.models import Notification
from outreach.models import Suppression
from tests.crm.leads.helpers import member
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, work


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.mark.parametrize(("source", "shown"), [("Silent: {{ contact.name }}", "Silent: Ann Example"), ("", "Welcome")])
def test_a_contact_comes_onto_the_list_with_its_reason(cast: Cast, source: str, shown: str) -> None:
    nodes = [node("a", "suppress", {"source": source}), node("b", "suppress")]
    id = published(cast, nodes, edges("a > b"))
    contact(cast, email="Ann@Example.org")
    work()
    [run] = runs(cast, id)
    assert run.status == "completed", run.error
    with cast.scope():
        [row] = Suppression.objects.all()
        assert (row.email, row.reason, row.source) == ("ann@example.org", "manual", shown)
        assert row.details == {"workflow": id, "run": run.pk}


def test_a_bounced_address_keeps_its_reason(cast: Cast) -> None:
    with cast.scope():
        Suppression.objects.create(email="ann@example.org", reason="bounced")
    published(cast, [node("a", "suppress")], edges())
    contact(cast)
    work()
    with cast.scope():
        assert [row.reason for row in Suppression.objects.all()] == ["bounced"]


def test_without_an_address_the_step_fails(cast: Cast) -> None:
    id = published(cast, [node("a", "suppress")], edges(), triggerEventType="manual")
    with cast.scope():
        lead = LeadFactory(contact__custom={}, contact__email=None, custom={}).pk
    assert cast.key.post(f"/workflow/{id}/enrol", {"ids": [lead], "panel": "lead"}).status == 201
    work()
    assert [(run.status, run.error_code) for run in runs(cast, id)] == [("failed", "missing")]


def test_a_notice_goes_to_the_owner_of_the_lead_or_else_to_the_members(cast: Cast) -> None:
    with cast.scope():
        sella = member()
    config = {"members": [cast.owner.pk], "owner": True, "text": "Call"}
    id = published(cast, [node("a", "notify", config)], edges(), triggerEventType="manual")
    with cast.scope():
        leads = [LeadFactory(contact__custom={}, custom={}, team_member=owner).pk for owner in (sella, None)]
    cast.key.post(f"/workflow/{id}/enrol", {"ids": leads, "panel": "lead"})
    work()
    with cast.scope():
        notices = Notification.objects.filter(kind="workflow.notice")
        told = set(notices.values_list("member", "record_id"))
    assert told == {(sella.pk, leads[0]), (cast.owner.pk, leads[1])}
    body = {"name": "Nobody", "triggerEventType": "manual", "nodes": [node("a", "notify", {"text": "Hi"})], "edges": []}
    problems = cast.key.post("/workflow", body).data["validation"]["errors"]
    assert any(problem["nodeId"] == "a" for problem in problems)
