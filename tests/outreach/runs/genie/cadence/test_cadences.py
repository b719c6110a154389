"""Cadences: outreachCadence of POST /genie/from-contacts, the follow-ups that come of it, and what stops them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.errors import NamedError
from core.spans import add_span
from core.tenancy import unscoped
from crm.models import Contact, Lead
from outreach.connections.ai.providers import model
from outreach.messaging.delivery import ledger, senders
from outreach.messaging.delivery.stopping.stops import stop_waiting
from outreach.models import SendJob, SendJobTransition, Suppression
from outreach.runs.genie.cadence.steps import read_cadence, steps_of
from tests.kit.ai_server import FACTS, ai_server
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.outreach.connections.ai.test_model_apps import connected
from tests.outreach.helpers import Post, planned, statuses, work

START = "/genie/from-contacts"
DAY = {"amount": 1, "unit": "days"}
TWO = {"steps": [{"delay": DAY}, {"delay": DAY, "subject": "One last question", "prompt": "Ask whether they come"}]}


def refused(cadence: dict[str, Any]) -> str:
    with pytest.raises(NamedError) as found:
        read_cadence(cadence)
    return f"{found.value.name} {found.value.detail}"


@pytest.mark.parametrize(
    ("cadence", "told"),
    [
        ({"step": []}, "outreachCadence.step: unknown key"),
        ({"steps": {}}, "outreachCadence.steps: must be an array"),
        ({"steps": [{"delay": DAY}] * 11}, "outreachCadence.steps: must be an array of at most 10"),
        ({"steps": ["x"]}, "outreachCadence.steps[0]: must be an object"),
        ({"steps": [{"delay": DAY}, {}]}, "outreachCadence.steps[1].delay: enter a value"),
        ({"steps": [{"delay": {"amount": 0, "unit": "days"}}]}, "steps[0].delay.amount: enter a whole number"),
        ({"steps": [{"delay": {"amount": 1.5, "unit": "days"}}]}, "steps[0].delay.amount: enter a whole number"),
        ({"steps": [{"delay": {"amount": 1, "unit": "years"}}]}, "steps[0].delay.unit: must be one of seconds"),
        ({"steps": [{"delay": 60}]}, "outreachCadence.steps[0].delay: needs"),
        (
            {"steps": [{"delay": {"amount": 7, "unit": "months"}}] * 2},
            "steps[1].delay: enter shorter waits: at most 366",
        ),
        ({"steps": [{"delay": {"amount": 99_999, "unit": "months"}}]}, "steps[0].delay: enter shorter waits"),
        ({"steps": [{"delay": DAY, "wait": 1}]}, "outreachCadence.steps[0].wait: unknown key"),
        ({"steps": [{"delay": DAY, "channel": "fax"}]}, "outreachCadence.steps[0].channel: must be one of"),
        ({"steps": [{"delay": DAY, "subject": "x" * 201}]}, "outreachCadence.steps[0].subject: enter at most 200"),
        ({"steps": [{"delay": DAY, "prompt": 5}]}, "outreachCadence.steps[0].prompt: must be text"),
        ({"steps": [{"delay": DAY, "stopOn": ["rain"]}]}, "outreachCadence.steps[0].stopOn: must be an array of reply"),
        ({"steps": [{"delay": DAY, "window": {"days": [8]}}]}, "outreachCadence.steps[0].window.days: must be"),
        ({"steps": [{"delay": DAY, "window": {"days": [1, 1]}}]}, "steps[0].window.days: choose each day once"),
        ({"steps": [{"delay": DAY, "window": {"days": []}}]}, "steps[0].window.days: choose at least one day"),
        (
            {"steps": [{"delay": DAY, "window": {"start": "09:00", "end": "09:00"}}]},
            "steps[0].window.end: enter another end",
        ),
        ({"steps": [{"delay": DAY, "window": {"start": "09:00"}}]}, "steps[0].window.end: enter both times"),
        ({"steps": [{"delay": DAY, "window": {"start": "9h", "end": "17:00"}}]}, "window.start: enter a time"),
        ({"steps": [{"delay": DAY, "template": "x"}]}, "outreachCadence.steps[0].template: must be 24 hex"),
    ],
)
def test_what_is_wrong_with_a_cadence_is_named(cadence: dict[str, Any], told: str) -> None:
    found = refused(cadence)
    assert found.startswith("InvalidPayload_400 ")
    assert told in found


def test_a_checked_cadence_has_all_defaults() -> None:
    assert read_cadence({}) == read_cadence({"steps": []}) == {}
    window = {"days": [5, 1], "start": "09:00", "end": "17:30"}
    stored = read_cadence(
        {"steps": [{"delay": DAY}, {"delay": DAY, "stopOn": ["won", "unsubscribe"], "window": window}]}
    )
    first, second = stored["steps"]
    assert first == {
        "delay": DAY,
        "channel": "smtp",
        "subject": "",
        "prompt": "",
        "stopOn": ["reply", "bounce", "won", "lost"],
        "window": None,
        "template": None,
    }
    assert (second["stopOn"], second["window"]) == (["won"], {"days": [1, 5], "start": "09:00", "end": "17:30"})
    assert list(steps_of(stored)) == [2, 3]
    late = datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert add_span(late, {"amount": 1, "unit": "months"}, UTC) == datetime(2026, 2, 28, 10, tzinfo=UTC)
    assert add_span(late, {"amount": 90, "unit": "seconds"}, UTC) == late + timedelta(seconds=90)


def go_on(times: int = 1) -> None:
    """Do what is due by now."""
    for _ in range(times):
        for kind in ("follow-ups", "genie", "send"):
            work(kind)


def of(cast: Cast, run: str, **values: Any) -> list[SendJob]:
    with cast.scope():
        return list(SendJob.objects.filter(run_id=run, **values).order_by("contact_id", "step"))


def test_follow_ups_go_in_the_thread_each_once_and_when_they_are_due(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = timezone.now()
    with time_machine.travel(start, tick=False) as clock:
        open_on = {"days": [(start + timedelta(days=5, hours=1)).isoweekday()]}
        run = planned(cast, 2, outreachCadence={"steps": [TWO["steps"][0], {**TWO["steps"][1], "window": open_on}]})
        work("send")
        shown = cast.key.get(f"/genie/{run}").data
        assert (shown["phase"], shown["percent"], shown["outreachCadence"]["steps"][0]["delay"]) == (
            "waiting",
            100.0,
            DAY,
        )
        assert (shown["steps"][0]["followed"], shown["steps"][0]["counts"]) == (2, {"sent": 2})
        clock.shift(timedelta(hours=23))
        go_on()
        assert statuses(cast, run) == {"sent": 2}

        # A worker that is killed before the end leaves nothing, and the next one plans each once.
        clock.shift(timedelta(hours=2))
        with monkeypatch.context() as patch:
            patch.setattr(ledger, "record_planned", lambda *given, **named: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                work("follow-ups")
        assert statuses(cast, run) == {"sent": 2}
        work("follow-ups")
        work("follow-ups")
        waiting = cast.key.get(f"/genie/send-jobs/{of(cast, run, step=2)[0].pk}").data
        assert (waiting["status"], waiting["decision"]["reason"]) == ("planned", "not_written")
        go_on(2)
        assert statuses(cast, run) == {"sent": 4}
        clock.shift(timedelta(days=1))
        go_on(2)
        assert statuses(cast, run) == {"sent": 4, "approved": 2}
        assert {job.reason for job in of(cast, run, step=3)} == {"outside_window"}
        clock.shift(timedelta(days=3))
        work("send")
        assert statuses(cast, run) == {"sent": 6}
        clock.shift(timedelta(days=9))
        go_on()
    assert statuses(cast, run) == {"sent": 6}
    assert cast.key.get(f"/genie/{run}").data["phase"] == "completed"

    person = of(cast, run)[0].contact_id
    first, second, third = of(cast, run, contact_id=person)
    mails = {
        found["Message-ID"]: found
        for found in (message_from_bytes(one, policy=policy.default) for one in post.server.received)
    }
    assert mails[first.message_id]["References"] is None
    assert second.subject == f"Re: {first.subject}" == mails[second.message_id]["Subject"]
    assert mails[second.message_id]["In-Reply-To"] == first.message_id
    assert mails[third.message_id]["In-Reply-To"] == second.message_id
    assert mails[third.message_id]["References"].split() == [first.message_id, second.message_id]
    assert third.subject == "One last question"
    assert "come" in third.text
    assert {one["source"] for one in second.evidence} >= {"outreach.step", "outreach.subject"}
    values = [one["value"] for one in second.evidence if one["source"] == "outreach.step"]
    assert values == [f"The message before: {first.subject}, sent 1 day ago"]
    shown = cast.key.get(f"/genie/send-jobs/{second.pk}").data
    assert [(one["step"], one["status"]) for one in shown["thread"]] == [(1, "sent"), (2, "sent"), (3, "sent")]
    with cast.scope():
        moves = SendJobTransition.objects.filter(send_job=second).order_by("created_at", "id")
        assert list(moves.values_list("to_status", flat=True)) == ["planned", "approved", "claimed", "sending", "sent"]


def reply(cast: Cast, contact: str) -> None:
    Contact.objects.filter(pk=contact).update(replied_at=timezone.now())


def lead(status: str) -> Callable[[Cast, str], None]:
    def change(cast: Cast, contact: str) -> None:
        found = Lead.objects.get(contact_id=contact, status="new")
        assert cast.key.put(f"/lead/{found.pk}", {"formData": {"status": status}}).status == 200

    return change


def bounce(cast: Cast, contact: str) -> None:
    SendJob.objects.create(contact_id=contact, status="failed", reason="rejected")


def list_it(cast: Cast, contact: str) -> None:
    address = Contact.objects.get(pk=contact).email
    Suppression.objects.create(email=str(address), reason="manual")


def unsubscribe(cast: Cast, contact: str) -> None:
    Contact.objects.filter(pk=contact).update(unsubscribed_at=timezone.now())


def delete(cast: Cast, contact: str) -> None:
    assert cast.key.delete("/contact", {"ids": [contact]}).status == 200


def by_hand(cast: Cast, contact: str) -> None:
    first = SendJob.objects.get(contact_id=contact, step=1)
    for _ in range(2):
        assert cast.key.post(f"/genie/send-jobs/{first.pk}/stop-follow-ups").status == 200


STOPS: list[tuple[Callable[[Cast, str], None], tuple[str, str]]] = [
    (reply, ("cancelled", "reply_received")),
    (bounce, ("cancelled", "bounced")),
    (lead("won"), ("cancelled", "lead_won")),
    (lead("lost"), ("cancelled", "lead_lost")),
    (list_it, ("suppressed", "address_suppressed")),
    (unsubscribe, ("suppressed", "unsubscribed")),
    (delete, ("cancelled", "contact_deleted")),
    (by_hand, ("cancelled", "declined")),
]


def test_what_stops_follow_ups_before_they_are_written_and_while_they_wait(cast: Cast, post: Post) -> None:
    """For each cause two people: it happens before the follow-up is planned, or while it waits as a draft."""
    start = timezone.now()
    with time_machine.travel(start, tick=False) as clock:
        with cast.scope():
            people = [ContactFactory(custom={}).pk for _ in range(2 * len(STOPS) + 1)]
            for person in people:
                LeadFactory(contact_id=person)
                LeadFactory(contact_id=person, status="lost")  # before it began: stops nothing
        run = cast.key.post(START, {"contactIds": people, "prompt": "Come", "outreachCadence": TWO, "draft": True}).data
        work("genie")
        cast.key.post(f"/genie/{run['_id']}/approve-all")
        work("send")
        clock.shift(timedelta(hours=1))
        early, late, kept = people[: len(STOPS)], people[len(STOPS) : -1], people[-1]
        with cast.scope():
            for person, (happens, _) in zip(early, STOPS, strict=True):
                happens(cast, person)
        clock.shift(timedelta(days=1))
        work("follow-ups")
        work("genie")
        drafts = {job.contact_id: job for job in of(cast, run["_id"], status="draft")}
        assert set(drafts) == {*late, kept}
        with cast.scope():
            assert {
                one.contact_id: (one.status, one.reason, one.text)
                for one in of(cast, run["_id"], step=2)
                if one.contact_id in early
            } == {person: (*told, "") for person, (_, told) in zip(early, STOPS, strict=True)}
            for person, (happens, _) in zip(late, STOPS, strict=True):
                happens(cast, person)
        with unscoped(reason="test: a periodic task"):
            assert not stop_waiting()
        found = {job.contact_id: (job.status, job.reason) for job in of(cast, run["_id"], step=2)}
        assert {person: found[person] for person in late} == {
            person: told for person, (_, told) in zip(late, STOPS, strict=True)
        }
        assert found[kept] == ("draft", "awaiting_approval")
        clock.shift(timedelta(days=5))
        go_on(2)
        assert not of(cast, run["_id"], step=3)
        cast.key.post(f"/genie/{run['_id']}/cancel")
        assert of(cast, run["_id"], step=2, contact_id=kept)[0].reason == "run_cancelled"
        go_on(2)
    assert len(post.server.received) == len(people)


def test_a_model_is_told_what_was_sent_and_what_stops_at_the_last_moment(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "pause", lambda failures, left: None)
    start = timezone.now()
    with ai_server() as server, time_machine.travel(start, tick=False) as clock:
        connected(cast, server)
        steps = [{"delay": DAY, "prompt": "Ask again", "stopOn": ["won"]}, {"delay": DAY}]
        run = planned(cast, 1, aiType="ai-b", outreachCadence={"steps": steps})

        def approve(step: int) -> SendJob:
            """Approve what nothing proves, each by itself."""
            [found] = of(cast, run, step=step)
            assert (found.status, cast.key.post(f"/genie/send-jobs/{found.pk}/approve").status) == ("draft", 200)
            return found

        first = approve(1)
        work("send")
        clock.shift(timedelta(days=1))
        with cast.scope():
            reply(cast, first.contact_id)  # which this step does not stop on
        work("follow-ups")
        work("genie")
        asked = json.dumps(server.asked[-1].body)
        assert ("Ask again" in asked, f"The subject is given: Re: {first.subject}" in asked) == (True, True)
        facts = json.loads(server.asked[-1].texts[0].partition(FACTS)[2])
        assert facts["thread.1"] == f"{first.subject}\n{first.text}"
        assert approve(2).subject == f"Re: {first.subject}"
        work("send")
        assert statuses(cast, run) == {"sent": 2}
        clock.shift(timedelta(days=1))
        with cast.scope():
            Contact.objects.update(replied_at=None)
        work("follow-ups")
        work("genie")
        approve(3)

        # A reply between the claim and the last byte: the statement that commits the intent refuses it.
        def answered(*given: Any) -> Any:
            with cast.scope():
                reply(cast, first.contact_id)
            return built(*given)

        built = senders.build
        monkeypatch.setattr(senders, "build", answered)
        work("send")
    assert len(post.server.received) == 2
    third = of(cast, run)[2]
    assert (third.status, third.reason) == ("cancelled", "reply_received")
