"""The pages of approvals: who is asked answers, whatever their role; others see, or do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Member, Role
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.models import RunApproval

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def ask(cast: Cast) -> Callable[..., RunApproval]:
    def asked(*members: Member) -> RunApproval:
        """Let a workflow ask the members about a new contact. Returns the question."""
        text = {"text": f"Send to {{{{ contact.name }}}}? {EVIL}", "members": [one.pk for one in members]}
        nodes = [
            node("ask", "approval", text),
            *(node(way, "set", {"values": {"way": way}}) for way in ("approved", "rejected")),
        ]
        published(cast, nodes, edges("ask:approved > approved", "ask:rejected > rejected"))
        contact(cast)
        work()
        with cast.scope():
            return RunApproval.objects.get()

    return asked


@pytest.fixture
def unpermitted(cast: Cast) -> Member:
    """A member whose role permits nothing."""
    with cast.scope():
        return MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.create(name="Nothing", permission={}))


def test_who_is_asked_answers_whatever_their_role(
    cast: Cast, unpermitted: Member, ask: Callable[..., RunApproval]
) -> None:
    question = ask(cast.narrow, unpermitted)
    with cast.scope():
        run = question.run
    for member in (cast.narrow, unpermitted):
        browser = enter(member)
        one = at(member, f"workflow-approvals/{question.pk}")
        assert f'href="{one}"' in html_of(browser.get(at(member, "notifications")))
        for address in (at(member, "workflow-approvals"), one):
            page = browser.get(address)
            assert "Send to Ann Example? " in text_of(page)
            assert ("Approve" in text_of(page), "<script>alert" in html_of(page)) == (True, False)
            assert "All members" not in text_of(page)
    reads_contacts = enter(cast.narrow)
    assert "1 approval request" in text_of(reads_contacts.get(at(cast.narrow)))
    assert f"/contacts/{run.contact_id}" in html_of(reads_contacts.get(one))
    assert f"/contacts/{run.contact_id}" not in html_of(browser.get(one))

    sent = {"do": "reject", "id": question.pk, "comment": " Not now "}
    assert "Rejected" in toast_of(browser, browser.post(one, sent))
    late = reads_contacts.post(one, {"do": "approve", "id": question.pk})
    assert "It is rejected" in toast_of(reads_contacts, late)
    work()
    (run,) = runs(cast, run.workflow_id)
    assert (run.status, run.state["vars"]) == ("completed", {"way": "rejected"})
    answered = text_of(reads_contacts.get(at(cast.narrow, "workflow-approvals") + "?only=answered"))
    assert ("Not now" in answered, "No approvals for you" in answered) == (True, False)
    assert "No approvals for you" in text_of(reads_contacts.get(at(cast.narrow, "workflow-approvals")))
    assert "of a workflow" not in text_of(reads_contacts.get(at(cast.narrow)))


def test_who_is_not_asked_sees_what_the_role_shows_and_answers_nothing(
    cast: Cast, unpermitted: Member, ask: Callable[..., RunApproval]
) -> None:
    question = ask(cast.narrow)
    path = f"workflow-approvals/{question.pk}"
    reader = enter(cast.owner)
    listed = reader.get(at(cast.owner, "workflow-approvals") + "?only=all")
    assert "Send to Ann Example?" in text_of(listed)
    assert 'value="approve"' not in html_of(listed)
    refused = reader.post(at(cast.owner, path), {"do": "approve", "id": question.pk})
    assert "Approval not found" in toast_of(reader, refused)
    nobody = enter(unpermitted)
    assert nobody.get(at(unpermitted, path)).status_code == 404
    for query in ("", "?only=all"):
        assert "Ann Example" not in text_of(nobody.get(at(unpermitted, "workflow-approvals") + query))
    other = make_cast()
    assert enter(other.owner).get(at(other.owner, path)).status_code == 404
    with cast.scope():
        assert RunApproval.objects.get().status == "open"


def test_who_may_read_workflows_alone_sees_no_contact_in_questions_to_others(
    cast: Cast, ask: Callable[..., RunApproval]
) -> None:
    question = ask(cast.narrow)
    with cast.scope():
        role = Role.objects.create(name="Workflows", permission={"workflow": {"GET": True}})
        operator = MemberFactory(status=Member.Status.ACCEPTED, role=role)
    browser = enter(operator)
    for path in ("workflow-approvals?only=all", f"workflow-approvals/{question.pk}"):
        page = browser.get(at(operator, path))
        assert ("You can't read this request" in text_of(page), "A contact" in text_of(page)) == (True, True)
        assert ("Ann" in text_of(page), "ann@example.org" in html_of(page)) == (False, False)


def test_all_takes_the_permission(cast: Cast, ask: Callable[..., RunApproval]) -> None:
    question = ask(cast.narrow)

    def listed(caller: Any, **query: str) -> Any:
        answer = caller.get("/workflow/approvals", **query)
        return [one["_id"] for one in answer.body["data"]] if answer.status == 200 else answer.body["warning"]

    assert (listed(cast.session), listed(cast.session, whose="all")) == ([], [question.pk])
    assert listed(cast.narrow_session) == [question.pk]
    assert "workflow.GET" in listed(cast.narrow_session, whose="all")
    assert listed(cast.session, whose="none").startswith("whose:")
    seen = cast.session.get(f"/workflow/approvals/{question.pk}").data
    assert (seen["contact"]["name"], seen["members"]) == (
        "Ann Example",
        [{"_id": cast.narrow.pk, "name": cast.narrow.name}],
    )
