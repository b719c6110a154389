"""The values of a contact's or lead's organization in expressions, and conditions on them."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Contact, Organization
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory
from tests.workflows.helpers import edges, node, published, runs, when, work
from workflows.models import RunStep

SET = node("a", "set", {"values": {"firm": "{{ organization.name }}", "at": "{{ organization.domain | upper }}"}})


@pytest.fixture
def firms(cast: Cast) -> list[Organization]:
    with cast.scope():
        return [OrganizationFactory(name=name, domain=f"{name.lower()}.example") for name in ("Acme", "Beta")]


def outputs(cast: Cast, id: str) -> set[tuple[Any, Any]]:
    with cast.scope():
        steps = RunStep.objects.filter(run__in=[run.pk for run in runs(cast, id)], node="a")
        return {(step.output["firm"], step.output["at"]) for step in steps}


def test_expressions_read_the_organization_of_the_lead_or_else_of_the_contact(
    cast: Cast, firms: list[Organization]
) -> None:
    acme, beta = firms
    with cast.scope():
        ann = ContactFactory(organization=acme, custom={})
        bob = ContactFactory(custom={})
        leads = [LeadFactory(contact=ann, organization=beta), LeadFactory(contact=ann, organization=None)]
    contacts = published(cast, [SET], [], triggerEventType="manual")
    cast.session.post(f"/workflow/{contacts}/enrol", {"ids": [ann.pk, bob.pk], "panel": "contact"})
    of_leads = published(cast, [SET], [], triggerEventType="manual")
    cast.session.post(f"/workflow/{of_leads}/enrol", {"ids": [lead.pk for lead in leads], "panel": "lead"})
    work()
    assert outputs(cast, contacts) == {("Acme", "ACME.EXAMPLE"), (None, "")}
    assert outputs(cast, of_leads) == {("Beta", "BETA.EXAMPLE"), ("Acme", "ACME.EXAMPLE")}


def test_the_organization_is_read_again_after_a_step_that_writes(cast: Cast, firms: list[Organization]) -> None:
    with cast.scope():
        ann = ContactFactory(organization=firms[0], name="Ann", custom={})
    steps = [
        node("b", "set", {"values": {"before": "{{ organization.name }}"}}),
        node("c", "contact", {"action": "update", "values": {"name": "{{ organization.name }}"}}),
        SET,
    ]
    id = published(cast, steps, edges("b > c", "c > a"), triggerEventType="manual")
    cast.session.post(f"/workflow/{id}/enrol", {"ids": [ann.pk], "panel": "contact"})
    work()
    with cast.scope():
        assert Contact.objects.get(pk=ann.pk).name == "Acme"
    assert outputs(cast, id) == {("Acme", "ACME.EXAMPLE")}


@pytest.mark.parametrize("path", ["key", "session"])
def test_unknown_values_are_warned_of_and_known_ones_offered(cast: Cast, firms: list[Organization], path: str) -> None:
    caller: Caller = getattr(cast, path)
    texts = {"good": "{{ organization.owner }}", "bad": "{{ organization.street }}"}
    body = {"name": "Firms", "triggerEventType": "manual", "nodes": [node("a", "set", {"values": texts})], "edges": []}
    saved = caller.post("/workflow", body).data
    warned = [one["message"] for one in saved["validation"]["warnings"] if one["code"] == "unknownField"]
    assert warned == ["there is no organization.street, so it is empty"]
    offered = caller.get(f"/workflow/{saved['_id']}/references", node="a").data["references"]
    samples = {one["path"]: one["sample"] for one in offered}
    assert samples["organization.name"] == "Beta"
    assert "organization.domain" in samples


def test_conditions_ask_for_the_organization_of_the_contact(cast: Cast, firms: list[Organization]) -> None:
    with cast.scope():
        people = [ContactFactory(organization=firm, custom={}) for firm in (*firms, None)]
    steps = [
        node("if", "condition", {"filter": when("contact.organization.name", "equals", "Acme")}),
        node("a", "set", {"values": {"firm": "{{ organization.name }}", "at": ""}}),
    ]
    id = published(cast, steps, edges("if:true > a"), triggerEventType="manual")
    cast.session.post(f"/workflow/{id}/enrol", {"ids": [person.pk for person in people], "panel": "contact"})
    work()
    assert outputs(cast, id) == {("Acme", "")}
