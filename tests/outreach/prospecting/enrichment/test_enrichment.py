"""Enrichment: an app is asked about a run's recipients, and people decide about what it proposes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.models import Event
from crm.models import Contact, CustomField
from outreach.models import AiApp, Enrichment, EnrichmentProposal, GenieScheduler, LeadGeneration, SendJob
from outreach.runs.genie.generated import enrichment
from tests.kit.ai_server import Raw
from tests.kit.cast import Cast, make_cast
from tests.kit.data_server import KEY, Asked, DataServer
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.outreach.helpers import run_of, statuses, work

START = "/genie/from-contacts"
PATHS = {"name": "person.name", "number": "person.phone", "job": "person.role", "size": "company.employees"}


@pytest.fixture
def ready(cast: Cast, people: DataServer) -> Cast:
    """A company with an enrichment app that knows everybody."""
    with cast.scope():
        SmtpFactory()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        CustomField.objects.create(name="Job title", panel="contact", field_type="text", unique_field_id="job")
        CustomField.objects.create(
            name="Size", panel="contact", field_type="number", value_type="number", unique_field_id="size"
        )
    body = {"name": "Knows All", "url": people.url, "headerName": "X-Key", "apiKey": KEY, "fieldPaths": PATHS}
    assert cast.key.post("/apps/enrich", body).status == 201
    people.then(known)
    return cast


def known(asked: Asked) -> Any:
    return {
        "person": {"name": asked.values["name"], "phone": "+44 20 7946 0000", "role": "Head of Gardens"},
        "company": {"employees": 12},
    }


def started(cast: Cast, count: int = 2, **body: Any) -> tuple[str, list[str]]:
    with cast.scope():
        ids = [ContactFactory(custom={}).pk for _ in range(count)]
    answer = cast.key.post(START, {"contactIds": ids, "prompt": "Invite them", "enrichmentEnabled": True, **body})
    assert answer.status == 201, answer.body
    return answer.data["_id"], ids


def test_a_run_waits_for_proposals_and_people_decide(ready: Cast, people: DataServer, outsiders: Cast) -> None:
    run, ids = started(ready)
    work("genie")
    shown = ready.key.get(f"/genie/{run}").data
    assert (shown["phase"], shown["processed"], shown["enrichment"]["status"]) == ("planning", 0, "queued")
    assert statuses(ready, run) == {}
    work("enrichment")
    recipients = [row for row in ready.key.get("/contact").data if row["_id"] in ids]
    assert {one.values["email"] for one in people.asked} == {row["email"] for row in recipients}
    assert people.asked[0].headers["x-key"] == KEY
    work("genie")
    shown = ready.session.get(f"/genie/{run}").data
    assert (shown["enrichment"]["processed"], shown["enrichment"]["proposed"]) == (2, 6)
    assert statuses(ready, run) == {"approved": 2}
    with ready.scope():  # nothing is written by itself, and nothing of it is told to the composer
        assert Contact.objects.get(pk=ids[0]).custom == {}
        assert not SendJob.objects.filter(text__contains="Gardens").exists()
    rows = ready.session.get("/enrichment-proposal", filters={"contact": ids[0]}).data
    by_field = {row["field"]: row for row in rows}
    assert (by_field["job"]["text"], by_field["job"]["fieldName"], by_field["job"]["source"]) == (
        *("Head of Gardens", "Job title"),
        "Knows All",
    )
    assert (by_field["size"]["value"], by_field["size"]["current"]) == (12, None)
    for field in ("job", "size", "number"):
        done = ready.session.post(f"/enrichment-proposal/{by_field[field]['_id']}/accept")
        assert (done.status, done.data["status"]) == (200, "accepted"), done.body
    with ready.scope():
        contact = Contact.objects.get(pk=ids[0])
        assert contact.custom == {"job": "Head of Gardens", "size": 12}
        assert contact.contact_number == "+442079460000"
        assert Event.objects.filter(kind="enrich.accepted").count() == 3
        assert Event.objects.filter(kind="contact.updated").count() == 3
    other = next(row for row in ready.key.get("/enrichment-proposal").data if row["status"] == "proposed")
    assert ready.key.post(f"/enrichment-proposal/{other['_id']}/reject").data["status"] == "rejected"
    assert ready.key.post(f"/enrichment-proposal/{other['_id']}/reject").status == 200
    assert ready.key.post(f"/enrichment-proposal/{other['_id']}/accept").status == 400
    assert outsiders.key.get(f"/enrichment-proposal/{other['_id']}").status == 404
    assert outsiders.key.post(f"/enrichment-proposal/{other['_id']}/accept").status == 404
    again, _ = started(ready, 0, contactIds=ids)
    for kind in ("genie", "enrichment", "genie"):
        work(kind)
    assert ready.key.get(f"/genie/{again}").data["enrichment"]["proposed"] == 0


def test_accepting_takes_the_right_to_change_contacts(db: None) -> None:
    cast = make_cast({"enrich": {"GET": True, "POST": True}})
    with cast.scope():
        contact = ContactFactory()
        row = EnrichmentProposal.objects.create(contact=contact, field="name", value="N", text="N", source="S")
    assert cast.narrow_session.post(f"/enrichment-proposal/{row.pk}/accept").status == 403
    assert cast.narrow_session.post(f"/enrichment-proposal/{row.pk}/reject").status == 200
    assert make_cast({"contact": {"GET": True}}).narrow_session.get("/enrichment-proposal").status == 403


def test_a_killed_worker_asks_on_where_it_was(ready: Cast, people: DataServer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    real, calls = enrichment.save_progress, list[int]()

    def dies_at_the_second(job: Any, **values: Any) -> bool:
        calls.append(1)
        if len(calls) == 2:
            raise Killed
        return real(job, **values)

    monkeypatch.setattr(enrichment, "save_progress", dies_at_the_second)
    run, _ = started(ready, 3)
    work("genie")
    with pytest.raises(Killed):
        work("enrichment")
    with ready.scope():
        Enrichment.objects.update(status="queued", lease=None, worker=None)
    for kind in ("enrichment", "genie"):
        work(kind)
    asked = [one.values["email"] for one in people.asked]
    assert (len(asked), len(set(asked))) == (4, 3)
    assert statuses(ready, run) == {"approved": 3}
    with ready.scope():
        assert EnrichmentProposal.objects.count() == 9


def test_an_app_in_trouble_is_waited_for_until_the_time_is_over(ready: Cast, people: DataServer) -> None:
    people.then(Raw(status=503))
    run, _ = started(ready)
    work("genie")
    work("enrichment")
    work("genie")
    assert statuses(ready, run) == {}
    with ready.scope():
        job = Enrichment.objects.get()
        assert (job.status, job.failures, job.processed) == ("queued", 1, 0)
        past = timezone.now() - timedelta(seconds=1)
        Enrichment.objects.update(until=past, due_at=past)
        GenieScheduler.objects.update(due_at=past)
    work("genie")
    assert statuses(ready, run) == {"approved": 2}
    work("enrichment")
    told = ready.key.get(f"/genie/{run}").data["enrichment"]
    assert (told["status"], told["error"]) == (
        "completed",
        "Its time was over: 0 of 2 were asked about. Knows All answered with the status 503.",
    )


def test_a_refused_key_ends_it_and_the_run_goes_on(ready: Cast, people: DataServer) -> None:
    people.then(Raw(status=401))
    run, _ = started(ready)
    for kind in ("genie", "enrichment", "genie"):
        work(kind)
    assert (len(people.asked), statuses(ready, run)) == (1, {"approved": 2})
    assert ready.key.get(f"/genie/{run}").data["enrichment"]["status"] == "failed"


def test_those_who_are_not_written_to_are_not_told_to_anybody(ready: Cast, people: DataServer) -> None:
    with ready.scope():
        gone = ContactFactory(unsubscribed_at=timezone.now()).pk
    run, _ = started(ready, 0, contactIds=[gone])
    for kind in ("genie", "enrichment", "genie"):
        work(kind)
    assert (people.asked, statuses(ready, run)) == ([], {"suppressed": 1})


def test_a_generated_run_is_enriched_and_cancelled_whole(ready: Cast, people: DataServer) -> None:
    with ready.scope():
        ContactFactory(name="Berlin", email="b@berlin.example", custom={})
    body = {"prompt": "People of Berlin", "enrichmentEnabled": True}
    run = ready.key.post("/genie", body).data["_id"]
    for kind in ("lead-generation", "genie"):
        work(kind)
    with ready.scope():
        assert LeadGeneration.objects.get().status == "completed"
        assert Enrichment.objects.get().status == "queued"
    assert ready.key.post(f"/genie/{run}/cancel").status == 200
    with ready.scope():
        assert Enrichment.objects.get().status == "cancelled"
    for kind in ("enrichment", "genie"):
        work(kind)
    assert people.asked == []
    assert run_of(ready, run).status == "cancelled"


def test_hostile_answers_propose_nothing_that_a_contact_cannot_take(ready: Cast, people: DataServer) -> None:
    people.then({"person": {"name": ["x"], "phone": "12", "role": "{{ x }}\x00" + "y" * 9000}, "company": []})
    _, ids = started(ready, 1)
    for kind in ("genie", "enrichment"):
        work(kind)
    with ready.scope():
        row = EnrichmentProposal.objects.get()
        assert (row.field, row.contact_id, len(row.text)) == ("job", ids[0], 500)
