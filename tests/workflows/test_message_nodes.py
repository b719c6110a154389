"""Nodes that write to people: mails of their own words and of templates, mails that AI writes, and campaigns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.ids import new_id
from core.jobs import WORK
from core.tenancy import unscoped
from crm.models import Contact
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.sending.claims import claim, release_claim
from outreach.models import AiApp, Campaign, EmailTemplate, GenieScheduler, SendJob, Suppression
from outreach.runs.campaigns.progress import free_all_paused
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.kit.sending import commit_intent
from tests.outreach.helpers import work as outreach
from tests.web.helpers import at, enter
from tests.workflows.helpers import edges, node, published, runs, steps, work
from workflows.engine import tasks
from workflows.models import WorkflowRun

WORDS = {"subject": "Hello {{ contact.name }}", "body": "Come, {{ contact.name | upper }}"}
NOTED = [node("gone", "set", {"values": {"way": "out"}}), node("not", "set", {"values": {"way": "suppressed"}})]
WAYS = edges("a > gone", "a:suppressed > not")


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        with cast.scope():
            SmtpFactory(verified=True)
            AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        yield cast


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def people(cast: Cast, *names: str, **values: Any) -> list[str]:
    with cast.scope():
        return [ContactFactory(name=name, custom={}, **values).pk for name in names]


def writing(cast: Cast, type: str, config: dict[str, Any], **data: Any) -> str:
    """Publish a workflow whose node `a` writes; returns its id."""
    return published(cast, [node("a", type, config, **data), *NOTED], WAYS, triggerEventType="manual")


def enrol(cast: Cast, workflow: str, ids: list[str]) -> list[WorkflowRun]:
    """Let the workflow run for the contacts; returns its runs."""
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"ids": ids}).status == 201
    work()
    return runs(cast, workflow)


def messages(cast: Cast, **values: Any) -> list[SendJob]:
    with cast.scope():
        rows = SendJob.objects.filter(**values).select_related("run", "contact", "smtp")
        return list(rows.order_by("occurrence", "pk"))


def way_of(run: WorkflowRun) -> str:
    return str(run.state["vars"].get("way", ""))


def template(cast: Cast, **values: Any) -> str:
    body = {"name": f"T {new_id()}", "subject": "For {{contact.name}}", "body": "Your plan: {{Plan}}", **values}
    answer = cast.key.post("/template/email", {"variables": [{"name": "Plan", "required": True}], **body})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def problems(cast: Cast, type: str, config: dict[str, Any]) -> list[str]:
    body = {"name": "Draft", "triggerEventType": "manual", "nodes": [node("a", type, config)], "edges": []}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    return [one["code"] for one in answer.data["validation"]["errors"]]


def test_a_mail_has_the_values_of_its_run_and_shows_where_it_comes_from(cast: Cast) -> None:
    [id] = people(cast, "Ann <b>\r\nBcc: x@y.zz {{company.name}}")
    body = '<p>Dear {{ contact.name }}</p><p><a href="https://a.example/?n={{ contact.name }}">here</a></p>'
    workflow = writing(cast, "mail", {**WORDS, "body": body})
    [run] = enrol(cast, workflow, [id])
    assert (run.status, way_of(run)) == ("completed", "out"), run.error
    [job] = messages(cast, contact=id)
    assert (job.status, job.workflow_run, job.step) == ("approved", run.pk, 1)
    assert job.subject == "Hello Ann <b> Bcc: x@y.zz {{company.name}}"
    assert all(part in job.html for part in ("Dear Ann &lt;b&gt;", "?n=Ann%20%3Cb%3E"))
    assert "<b>" not in job.html
    detail = cast.key.get(f"/genie/send-jobs/{job.pk}").data
    assert (detail["workflow"], detail["workflowRun"]) == (workflow, run.pk)
    assert cast.key.get(f"/genie/{job.run_id}").data["workflow"] == workflow
    browser, told, begun = enter(cast.owner), at(cast.owner, f"messages/{job.pk}"), f"workflow-runs/{run.pk}"
    assert told in html_of(browser.get(at(cast.owner, begun)))
    assert begun in html_of(browser.get(told))
    tree = {"operator": "and", "conditions": [{"field": "workflowRun", "operator": "equals", "value": run.pk}]}
    listed = cast.key.get("/genie/send-jobs", advancedFilters=json.dumps(tree)).data
    assert [one["_id"] for one in listed] == [job.pk]
    assert cast.key.post(f"/genie/send-jobs/{job.pk}/regenerate", {}).status == 400


def test_a_mail_greets_by_the_first_name_as_templates_do(cast: Cast) -> None:
    [id] = people(cast, "Dr. Ann Marie Lee")
    workflow = writing(cast, "mail", {**WORDS, "subject": "Hello {{ contact.firstName }}"})
    [run] = enrol(cast, workflow, [id])
    assert (run.status, way_of(run)) == ("completed", "out"), run.error
    assert [job.subject for job in messages(cast, contact=id)] == ["Hello Ann"]


def test_many_get_what_one_gets(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the number of statements does not grow with them."""
    with cast.scope():
        campaign = Campaign.objects.create(name="Spring", subject="Hi", body="Come").pk
    for type, config in (
        ("mail", WORDS),
        ("mail", {"template": template(cast), "variables": {"Plan": "{{ contact.name | lower }}"}}),
        ("genie", {"prompt": "Invite them to the open day", "draft": True}),
        ("campaign", {"campaign": campaign}),
        ("find", {"filter": {"operator": "and", "conditions": []}, "fields": ["name"], "limit": 5}),
        ("call", {"notes": "{{ contact.name }}"}),
    ):
        lines = edges() if type in ("find", "call") else WAYS
        workflow = published(cast, [node("a", type, config), *NOTED], lines, triggerEventType="manual")
        enrol(cast, workflow, people(cast, "First"))  # which makes the node's run
        counts = []
        for number in (3, 12):
            ids = people(cast, *(f"Person {place}" for place in range(number)))
            cast.key.post(f"/workflow/{workflow}/enrol", {"ids": ids})
            monkeypatch.setattr(tasks, "PAUSE", 60.0)  # it looks for other work by the clock
            with CaptureQueriesContext(connection) as found:
                WORK["workflow-runs"].drain(float("inf"))
            counts.append(len(found))
        assert counts[0] == counts[1], type
        assert {run.status for run in runs(cast, workflow)} == {"completed"}, type
    found = messages(cast, contact__name="Person 4", text__startswith="Come")
    assert [job.text for job in found] == ["Come, PERSON 4"]
    assert {job.text for job in messages(cast, subject="For Person 4")} == {"Your plan: person 4"}


def test_nobody_is_written_to_who_must_not_be(cast: Cast) -> None:
    ids = people(cast, "Listed", "Gone", "Nowhere", "Fine")
    with cast.scope():
        Contact.objects.filter(pk=ids[1]).update(unsubscribed_at=timezone.now())
        Contact.objects.filter(pk=ids[2]).update(email=None, email_key=None)
        Suppression.objects.create(email=Contact.objects.get(pk=ids[0]).email)
    found = {run.contact_id: run for run in enrol(cast, writing(cast, "mail", WORDS), ids)}
    assert [way_of(found[id]) for id in ids] == ["suppressed", "suppressed", "suppressed", "out"]
    reasons = [(job.status, job.reason) for id in ids for job in messages(cast, contact=id)]
    assert reasons == [
        ("suppressed", "address_suppressed"),
        ("suppressed", "unsubscribed"),
        ("failed", "no_valid_address"),
        ("approved", ""),
    ]


def test_a_step_that_is_taken_again_writes_nothing_twice(cast: Cast) -> None:
    [id] = people(cast, "Ann")
    for type, config in (("mail", WORDS), ("genie", {"prompt": "Invite", "draft": True})):
        [run] = enrol(cast, writing(cast, type, config), [id])
        [job] = messages(cast, workflow_run=run.pk)
        assert cast.key.post(f"/workflow/runs/{run.pk}/restart", {}).status == 200
        work()
        assert [one.pk for one in messages(cast, workflow_run=run.pk)] == [job.pk]
        assert cast.key.post(f"/workflow/runs/{run.pk}/restart", {"resend": True}).status == 200
        work()
        assert [one.occurrence for one in messages(cast, workflow_run=run.pk)] == [2, 3]


def test_a_cancelled_run_sends_nothing_more(cast: Cast) -> None:
    [id] = people(cast, "Ann")
    graph = [node("a", "mail", WORDS), node("w", "wait", {"for": {"amount": 1, "unit": "days"}})]
    workflow = published(cast, graph, edges("a > w"), triggerEventType="manual")
    [run] = enrol(cast, workflow, [id])
    assert (run.status, messages(cast, contact=id)[0].status) == ("waiting", "approved")
    assert cast.key.post(f"/workflow/runs/{run.pk}/cancel", {}).status == 200
    [job] = messages(cast, contact=id)
    assert (job.status, job.reason) == ("cancelled", "run_cancelled")


def test_a_paused_run_sends_nothing(cast: Cast) -> None:
    """Whether a member has paused it or its workflow, and whether a worker has claimed the message or not."""
    [id] = people(cast, "Ann")
    graph = [node("a", "mail", WORDS), node("w", "wait", {"for": {"amount": 1, "unit": "days"}})]
    workflow = published(cast, graph, edges("a > w"), triggerEventType="manual")
    [run] = enrol(cast, workflow, [id])
    [job] = messages(cast, contact=id)
    for stop, go in (
        (f"/workflow/runs/{run.pk}/pause", f"/workflow/runs/{run.pk}/resume"),
        (f"/workflow/{workflow}/runs/pause", f"/workflow/{workflow}/runs/resume"),
        (f"/workflow/{workflow}/unpublish", f"/workflow/{workflow}/publish"),
    ):
        with cast.scope():
            [claimed] = claim(job.smtp_id).jobs
        assert cast.key.post(stop).status == 200
        with cast.scope():
            assert not commit_intent(claimed, recipient=job.contact.email)
            release_claim(claimed.lease)
            assert claim(job.smtp_id).jobs == []
        assert [(one.status, one.reason) for one in messages(cast, contact=id)] == [("approved", "run_paused")]
        with unscoped(reason="test: the task that frees messages of campaigns"):
            assert not free_all_paused()
        assert cast.key.post(go).status == 200
        [free] = messages(cast, contact=id)
        assert (free.reason, free.held_at) == ("", None)
    with cast.scope():
        [claimed] = claim(job.smtp_id).jobs
        assert commit_intent(claimed, recipient=job.contact.email)


def test_a_run_goes_on_when_its_message_has_ended(cast: Cast) -> None:
    ids = people(cast, "Sent", "Stopped", "Failed", "Held")
    found = {run.contact_id: run for run in enrol(cast, writing(cast, "mail", {**WORDS, "goOn": "sent"}), ids)}
    assert {run.status for run in found.values()} == {"waiting"}
    ends = (("sent", ""), ("suppressed", "unsubscribed"), ("failed", "rejected"))
    with cast.scope():
        for id, (status, reason) in zip(ids, ends, strict=False):
            ledger.transition_all(SendJob.objects.filter(contact=id), to=status, reason=reason)
    work()
    work()
    with cast.scope():
        after = {run.contact_id: run for run in WorkflowRun.objects.filter(pk__in=[one.pk for one in found.values()])}
    assert [after[id].status for id in ids] == ["completed", "completed", "failed", "waiting"]
    assert [way_of(after[id]) for id in ids[:2]] == ["out", "suppressed"]
    assert after[ids[2]].error_code == "mail.failed"
    assert [one for one in steps(cast, after[ids[0]]) if one[0] == "a"] == [("a", "waiting", ""), ("a", "done", "out")]


def test_templates_take_values_of_the_run(cast: Cast) -> None:
    [id] = people(cast, "Ann")
    config = {"template": template(cast), "variables": {"Plan": "{{ vars.plan }}"}}
    [run] = enrol(cast, writing(cast, "mail", config), [id])
    assert (run.status, run.error_code) == ("failed", "templateVariable")
    graph = [node("s", "set", {"values": {"plan": "Gold"}}), node("a", "mail", config)]
    workflow = published(cast, graph, edges("s > a"), triggerEventType="manual")
    enrol(cast, workflow, [id])
    assert [job.text for job in messages(cast, contact=id)] == ["Your plan: Gold"]


def test_mails_go_to_contacts_alone_and_senders_take_turns(cast: Cast) -> None:
    ids = people(cast, *(f"P {place}" for place in range(8)))
    with cast.scope():
        senders = [SmtpFactory(name=f"S{place}", verified=True).pk for place in range(2)]
        [boss] = people(cast, "Boss", email="Boss@Example.org")
    config = {**WORDS, "senders": senders}
    enrol(cast, writing(cast, "mail", config), ids)
    used = {job.contact_id: job.smtp_id for job in messages(cast, contact__in=ids)}
    assert set(used.values()) == set(senders)
    enrol(cast, writing(cast, "mail", config), ids)
    assert all(used[job.contact_id] == job.smtp_id for job in messages(cast, contact__in=ids))
    enrol(cast, writing(cast, "mail", {**WORDS, "to": "boss@example.ORG"}), ids[:1])
    assert len(messages(cast, contact=boss)) == 1
    other = make_cast()
    for stranger in ("nobody@example.org", people(other, "Other")[0]):
        [run] = enrol(cast, writing(cast, "mail", {**WORDS, "to": stranger}), ids[:1])
        assert (run.status, run.error_code) == ("failed", "missing")


def test_ai_writes_what_a_genie_node_asks_for(cast: Cast) -> None:
    ids = people(cast, "Ann", "Bob")
    config = {"prompt": "Invite them to the open day", "draft": True, "goOn": "sent"}
    found = enrol(cast, writing(cast, "genie", config), ids)
    assert {(run.status) for run in found} == {"waiting"}
    assert {(job.status, job.reason) for job in messages(cast, contact__in=ids)} == {("planned", "not_written")}
    outreach("genie")
    jobs = messages(cast, contact__in=ids)
    assert {(job.status, bool(job.text)) for job in jobs} == {("draft", True)}
    assert {(job.run.status, job.run.total, job.run.prompt) for job in jobs} == {("completed", 2, config["prompt"])}
    shown = cast.key.get(f"/genie/{jobs[0].run_id}").data
    assert (shown["phase"], shown["name"]) == ("awaiting_approval", "Welcome (a)")


def test_contacts_join_a_campaign(cast: Cast) -> None:
    ids = people(cast, "Ann", "Bob", "Cleo")
    body = {
        "name": "Summer",
        "type": "smtp",
        "subject": "Hi",
        "body": "Come",
        "smtp": _smtp(cast),
        "contactIds": ids[:1],
    }
    campaign = cast.key.post("/campaign", body).data["_id"]
    workflow = writing(cast, "campaign", {"campaign": campaign})
    enrol(cast, workflow, ids[1:2])
    with cast.scope():
        assert Campaign.objects.get(pk=campaign).audience["contactIds"] == ids[:2]
    assert cast.key.post(f"/campaign/{campaign}/start").status == 200
    outreach("genie")
    enrol(cast, workflow, ids)  # of whom two are written to already
    outreach("genie")
    jobs = messages(cast, run__of_campaign=campaign)
    assert sorted(job.contact_id for job in jobs) == sorted(ids)
    assert {(job.status, job.text) for job in jobs} == {("approved", "Come")}
    assert cast.key.post(f"/campaign/{campaign}/cancel").status == 200
    run = enrol(cast, workflow, people(cast, "Late"))[-1]
    assert (run.status, run.error_code) == ("failed", "CampaignCannotBeUpdated_400")
    assert problems(cast, "campaign", {"campaign": campaign}) == ["campaignOver"]


def _smtp(cast: Cast) -> str:
    with cast.scope():
        return str(SmtpFactory(verified=True).pk)


def test_what_is_missing_is_told_before_publication(cast: Cast) -> None:
    other = make_cast()
    with cast.scope():
        untested, off = SmtpFactory(verified=False).pk, SmtpFactory(verified=True, is_active=False).pk
        foreign = Campaign.objects.create(name="Mine").pk
    with other.scope():
        strange = SmtpFactory(verified=True).pk
        theirs = EmailTemplate.objects.create(name="Theirs", subject="x", body="x").pk
    for config, code in (
        ({**WORDS, "senders": [strange]}, "senderMissing"),
        ({**WORDS, "senders": [off]}, "senderMissing"),
        ({**WORDS, "senders": [untested]}, "senderUnverified"),
        ({"template": theirs}, "templateMissing"),
        ({"template": template(cast)}, "templateVariable"),
        ({"template": template(cast), "variables": {"Plan": "x", "Plam": "x"}}, "templateVariable"),
        ({"subject": "Hi", "body": "<mjml><mj-nothing/></mjml>"}, "badValue"),
        ({"subject": "Hi", "body": "{{ contact.name | steal }}"}, "unknownFilter"),
        ({"subject": "Hi"}, "badValue"),
        ({**WORDS, "template": theirs}, "badValue"),
    ):
        assert problems(cast, "mail", config) == [code], config
    assert problems(other, "campaign", {"campaign": foreign}) == ["campaignMissing"]
    assert problems(make_cast(), "genie", {"prompt": "x"}) == ["senderMissing", "aiMissing"]
    assert problems(cast, "genie", {"prompt": "x", "language": "xx"}) == ["badValue"]
    with cast.scope():
        assert not GenieScheduler.objects.filter(of_node__endswith="/a", name="Draft (a)").exists()


@pytest.mark.parametrize(
    ("gone", "reason"),
    [
        ("suppressed", "on the suppression list"),
        ("unsubscribed", "has unsubscribed"),
        ("nowhere", "no valid email address"),
    ],
)
def test_dry_run_says_that_no_message_is_sent(cast: Cast, gone: str, reason: str) -> None:
    [id] = people(cast, "Ann")
    with cast.scope():
        person = Contact.objects.filter(pk=id)
        if gone == "suppressed":
            Suppression.objects.create(email=person.get().email)
        elif gone == "unsubscribed":
            person.update(unsubscribed_at=timezone.now())
        else:
            person.update(email=None, email_key=None)
    body = {"name": "Try", "triggerEventType": "manual", "nodes": [node("a", "mail", WORDS), *NOTED], "edges": WAYS}
    workflow = cast.key.post("/workflow", body).data["_id"]
    steps = cast.key.post(f"/workflow/{workflow}/test", {"record": id}).data["steps"]
    [step] = [step for step in steps if step["node"] == "a"]
    assert step["handle"] == "suppressed"
    assert step["effect"].startswith("Sends no message. ")
    assert reason in step["effect"]
