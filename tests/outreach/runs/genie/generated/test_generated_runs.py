"""POST /genie: runs that find their recipients themselves, among contacts and in lead sources."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.models import Event
from crm.models import Contact, CustomField, Lead
from outreach.models import AiApp, DataApp, GenieScheduler, LeadGeneration, SendJob, Suppression
from outreach.prospecting.lead_generation import lookups
from outreach.prospecting.lead_generation import services as searching
from outreach.runs.genie.writing import planning
from tests.kit.ai_server import Raw
from tests.kit.cast import Cast, make_cast
from tests.kit.data_server import KEY, SOURCE_PATHS, DataServer, somebody
from tests.kit.factories import ContactFactory, LeadFactory, SmtpFactory
from tests.outreach.helpers import run_of, work
from tests.web.helpers import at, enter, text_of

START = "/genie"
WHO = {"prompt": "Marketing managers in Berlin, to invite them to our open day"}
MISSING = "0" * 24


@pytest.fixture
def ready(cast: Cast) -> Cast:
    """A company with a sender, an AI app, and two contacts of whom one fits."""
    with cast.scope():
        SmtpFactory()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        CustomField.objects.create(name="Job title", panel="contact", field_type="text", unique_field_id="job")
        ContactFactory(name="Ann", email="ann@berlin.example", custom={"job": "Marketing manager in Berlin"})
        ContactFactory(name="Cy", email="cy@rome.example", custom={"job": "Gardener"})
    return cast


@pytest.fixture
def source(ready: Cast, people: DataServer) -> DataServer:
    """A lead source of the company that knows two people."""
    people.then({"people": [somebody("Bea Berg"), somebody("Carl Cole", town="hamburg")]})
    body = {"name": "People Finder", "url": people.url, "headerName": "X-Key", "apiKey": KEY}
    made = ready.key.post("/apps/lead-source", {**body, "resultPath": "people", "fieldPaths": SOURCE_PATHS})
    assert made.status == 201, made.body
    return people


def started(cast: Cast, **body: Any) -> str:
    answer = cast.key.post(START, {**WHO, **body})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def drained() -> None:
    for kind in ("lead-generation", "genie"):
        work(kind)


def test_a_run_finds_its_recipients_and_writes_to_them(ready: Cast) -> None:
    every = {
        **WHO,
        "outreachPrompt": "Invite them to our open day on Tuesday",
        "tone": "formal",
        "aiType": "ai-offline",
        "type": "lead",
        "enrichmentEnabled": False,
        "count": 2,
        "industry": "marketing",
        "additionalFilters": {"name": "Ann"},
        "userEnquiryEnabled": False,
        "campaign": True,
        "recurring": True,
        "intervalMs": 60_000,
        "whitelistedCustom": True,
        "customWhitelistedDomains": ["@Berlin.example"],
        "customChannelSelection": False,
        "customChannels": {},
        "outreachCadence": {},
        "draft": True,
    }
    made = ready.key.post(START, every)
    assert made.status == 201, made.body
    assert (made.data["phase"], made.data["generation"]["status"]) == ("planning", "queued")
    drained()
    shown = ready.session.get(f"/genie/{made.data['_id']}").data
    stored = every.keys() - {"additionalFilters", "customWhitelistedDomains", "outreachCadence"}
    assert {key: shown[key] for key in stored} == {key: every[key] for key in stored}
    assert shown["customWhitelistedDomains"] == ["berlin.example"]
    assert (shown["phase"], shown["total"], shown["generation"]["created"]) == ("awaiting_approval", 1, 1)
    with ready.scope():
        lead, job = Lead.objects.get(), SendJob.objects.get()
        assert (lead.contact.name, job.contact_id, shown["audience"]["leadIds"]) == ("Ann", lead.contact_id, [lead.pk])
        assert "Tuesday" in job.text
        assert shown["generation"]["judgeError"] == ""
        assert "?" not in job.text
        assert Event.objects.filter(kind="genie.created").count() == 1
    assert ready.key.get(START).data[0]["generation"]["created"] == 1


def test_people_of_a_lead_source_become_contacts_leads_and_recipients(ready: Cast, source: DataServer) -> None:
    run = started(ready)
    drained()
    asked = source.asked[0]
    assert (asked.headers["x-key"], asked.values["query"], asked.values["count"]) == (KEY, WHO["prompt"], 50)
    with ready.scope():
        assert set(Contact.objects.values_list("name", flat=True)) == {"Ann", "Cy", "Bea Berg", "Carl Cole"}
        assert dict(Lead.objects.values_list("contact__name", "source")) == {
            "Ann": "",
            "Bea Berg": "outreach",
            "Carl Cole": "outreach",
        }
        assert Contact.objects.get(name="Bea Berg").email == "bea.berg@berlin.example"
        assert SendJob.objects.filter(run=run, status="approved").count() == 3
        search = LeadGeneration.objects.get()
        assert search.candidates == []
    shown = ready.key.get(f"/lead/lead-gen-ai/{search.pk}").data
    assert shown["sources"] == [{"name": "People Finder", "done": True, "found": 2, "error": ""}]
    sourced = next(lead for lead in shown["leads"] if lead["contact"]["name"] == "Bea Berg")
    assert (sourced["source"], sourced["url"]) == ("People Finder", "https://people.example/bea berg")
    assert KEY not in str(shown)


def test_who_is_known_is_used_and_who_must_not_be_written_to_is_left_out(ready: Cast, source: DataServer) -> None:
    with ready.scope():
        known = ContactFactory(name="Bea, by hand", email="Bea.Berg@berlin.example", custom={})
        LeadFactory(contact=ContactFactory(email="lea@berlin.example"))
        Suppression.objects.create(email="sue@berlin.example", reason="manual")
        before = Contact.objects.count()
    strangers = [somebody("Bea Berg"), somebody("Bea Berg"), somebody("Lea"), somebody("Sue"), {"fullName": "Nobody"}]
    far, bare = somebody("Far Away", town="oslo"), somebody("Bare", phone=None)
    source.then({"people": [*strangers, far, bare, "text", None, 5]})
    started(ready, whitelistedCustom=True, customWhitelistedDomains=["berlin.example"])
    drained()
    with ready.scope():
        assert Contact.objects.count() == before
        assert Contact.objects.get(pk=known.pk).name == "Bea, by hand"
        assert set(SendJob.objects.values_list("contact__name", flat=True)) == {"Ann", "Bea, by hand"}
        search = LeadGeneration.objects.get()
        assert "1 of the lead sources can't be contacts (number: is required)" in search.error


@pytest.mark.parametrize("step", ["asked", "judged", "made", "ended", "planned"])
def test_a_worker_killed_between_two_steps_repeats_nothing(
    ready: Cast, source: DataServer, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Killed(BaseException):
        """As SIGKILL, nothing of ours runs after it."""

    place: dict[str, tuple[Any, str]] = {
        "asked": (lookups, "save_progress"),
        "judged": (searching, "_finish"),
        "made": (searching, "_make"),
        "ended": (searching, "finish"),
        "planned": (planning, "_insert"),
    }
    module, name = place[step]
    real, calls = getattr(module, name), []

    def dies_once(*args: Any, **values: Any) -> Any:
        calls.append(name)
        found = real(*args, **values) if step != "judged" else None
        if len(calls) == 1:
            raise Killed
        return real(*args, **values) if step == "judged" else found

    monkeypatch.setattr(module, name, dies_once)
    run = started(ready)
    kinds = ("genie",) if step == "planned" else ("lead-generation",)
    if step == "planned":
        work("lead-generation")
    with pytest.raises(Killed):
        work(kinds[0])
    with ready.scope():  # what the sweeper does with rows of dead workers
        for model in (LeadGeneration, GenieScheduler):
            model.objects.filter(status="running").update(status="queued", lease=None, worker=None)
    drained()
    with ready.scope():
        assert Contact.objects.count() == 4
        assert sorted(Lead.objects.values_list("contact__name", flat=True)) == ["Ann", "Bea Berg", "Carl Cole"]
        assert SendJob.objects.filter(run=run).count() == 3
    assert run_of(ready, run).status == "completed"
    assert len(source.asked) == (2 if step == "asked" else 1)


def test_a_run_that_finds_nobody_ends_with_a_sentence(ready: Cast, people: DataServer) -> None:
    run = started(ready, additionalFilters={"name": "Cy"})
    drained()
    shown = ready.key.get(f"/genie/{run}").data
    assert (shown["phase"], shown["total"]) == ("failed", None)
    assert shown["error"].startswith("Nobody was found to write to. No contact without a lead has any of the words")


def test_a_recurring_run_searches_anew_each_time(ready: Cast) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        narrowed = {"whitelistedCustom": True, "customWhitelistedDomains": ["berlin.example"], "industry": "marketing"}
        run = started(ready, count=1, recurring=True, intervalMs=60_000, draft=True, **narrowed)
        drained()
        first = found_by(ready, run)
        assert (first.created, drafts(ready, run)) == (1, ["ann@berlin.example"])

        def fire() -> dict[str, Any]:
            clock.shift(60)
            work("occurrences")
            drained()
            return dict(ready.key.get(f"/genie/{run}").data)

        # Nobody new: the run goes on, and the next search finds who has come.
        shown = fire()
        second = found_by(ready, run)
        assert (second.pk != first.pk, second.created, shown["occurrence"], shown["error"]) == (True, 0, 2, "")
        for name in ("prompt", "industry", "count", "domains", "additional_filters", "ai_type", "new_contacts"):
            assert getattr(second, name) == getattr(first, name)
        with ready.scope():
            ContactFactory(name="Dora", email="dora@berlin.example", custom={"job": "Marketing manager in Berlin"})
        shown = fire()
        assert (shown["occurrence"], shown["recurring"], shown["total"]) == (3, True, 2)
        assert drafts(ready, run) == ["ann@berlin.example", "dora@berlin.example"]

        # Where nothing may be searched for, it fails and rests until somebody resumes it.
        with ready.scope():
            AiApp.objects.all().delete()
        shown = fire()
        assert (shown["phase"], shown["nextOccurrenceAt"], "Nobody was looked for" in shown["error"]) == (
            "failed",
            None,
            True,
        )


def found_by(cast: Cast, run: str) -> LeadGeneration:
    """Return the latest search of the run."""
    with cast.scope():
        return LeadGeneration.objects.get(pk=GenieScheduler.objects.get(pk=run).generation_id)


def drafts(cast: Cast, run: str) -> list[str]:
    """Return whom the run has drafts for."""
    with cast.scope():
        return sorted(SendJob.objects.filter(run=run, status="draft").values_list("recipient", flat=True))


def test_a_source_in_trouble_is_told_and_holds_nobody_up(
    ready: Cast, source: DataServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "WAIT", lookups.WAIT * 0)
    source.then(Raw(status=503))
    run = started(ready)
    drained()
    assert len(source.asked) == lookups.TRIES
    with ready.scope():
        search, app = LeadGeneration.objects.get(), DataApp.objects.get()
        assert (search.status, search.created) == ("completed", 1)
        assert search.sources[0]["error"] == app.last_error == "People Finder answered with the status 503."
    assert run_of(ready, run).status == "completed"
    told = [{"source": "People Finder", "error": app.last_error}]
    assert ready.key.get(f"/genie/{run}").data["sourceErrors"] == told
    assert ready.key.get(f"/lead/lead-gen-ai/{search.pk}").data["sourceErrors"] == told
    # An occurrence that finds nobody, since its source has failed, is no failure of the run; it says so all the same.
    with ready.scope():
        GenieScheduler.objects.update(recurring=True, interval_ms=60_000, next_occurrence_at=timezone.now())
    work("occurrences")
    drained()
    again = ready.session.get(f"/genie/{run}").data
    assert (again["occurrence"], again["error"], again["sourceErrors"]) == (2, "", told)
    assert (again["generation"]["_id"] != search.pk, len(source.asked)) == (True, 2 * lookups.TRIES)


def test_cancelling_the_run_cancels_its_search(ready: Cast, source: DataServer) -> None:
    run = started(ready)
    assert ready.key.post(f"/genie/{run}/cancel").data["phase"] == "cancelled"
    other = started(ready)
    ready.key.delete(f"/genie/{other}")
    third = started(ready)
    search = ready.key.get(f"/genie/{third}").data["generation"]["_id"]
    ready.key.put(f"/lead/lead-gen-ai/{search}", {"status": "cancelled"})
    drained()
    assert source.asked == []
    with ready.scope():
        assert set(LeadGeneration.objects.values_list("status", flat=True)) == {"cancelled"}
        assert not Lead.objects.exists()
    shown = ready.key.get(f"/genie/{third}").data
    assert (shown["phase"], shown["error"]) == ("failed", "The search for people was cancelled.")


def test_a_run_cancelled_while_its_leads_are_made_makes_none(
    ready: Cast, source: DataServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, ids = searching._make, list[str]()

    def cancelled_meanwhile(job: LeadGeneration, chosen: Any) -> Any:
        found = real(job, chosen)
        LeadGeneration.objects.filter(pk=job.pk).update(cancel_requested=True)
        return found

    monkeypatch.setattr(searching, "_make", cancelled_meanwhile)
    ids.append(started(ready))
    drained()
    with ready.scope():
        assert (Lead.objects.count(), Contact.objects.count()) == (0, 2)
        assert LeadGeneration.objects.values_list("status", "candidates").get()[0] in ("cancelled", "queued")


def test_only_the_chosen_senders_send(ready: Cast, outsiders: Cast) -> None:
    with ready.scope():
        second, off = SmtpFactory(name="Second").pk, SmtpFactory(is_active=False).pk
    with outsiders.scope():
        foreign = SmtpFactory().pk
    chosen = {"customChannelSelection": True}
    made = ready.key.post(START, {**WHO, **chosen, "customChannels": {"smtp": [second]}}).data
    assert (made["smtp"]["_id"], made["customChannels"]) == (second, {"smtp": [second]})
    for channels, message, key in (
        ({"smtp": [foreign]}, "Connected app not found.", "customChannels.smtp"),
        ({"smtp": [off]}, "Connected app not found.", "customChannels.smtp"),
        ({"smtp": "all"}, None, "customChannels.smtp"),
        ({"pigeon": [second]}, None, "customChannels.pigeon"),
        ({"ai-offline": []}, None, "customChannels.ai-offline"),
        ({}, None, "customChannels"),
    ):
        answer = ready.key.post(START, {**WHO, **chosen, "customChannels": channels})
        assert (answer.status, key in answer.body["warning"]) == (400, True), (channels, answer.body)
        assert message in (None, answer.body["message"])
    unused = ready.key.post(START, {**WHO, "customChannels": {"smtp": [second]}})
    assert "customChannels" in unused.body["warning"]


def test_bad_bodies_are_named_and_start_nothing(ready: Cast) -> None:
    for body, message, named in (
        ({"prompt": ""}, "Describe the people you are looking for.", "prompt"),
        ({"count": 51}, "Choose up to 50 people.", "count"),
        ({"count": 0}, None, "count"),
        ({"aiType": "ai-a"}, "No AI writer is connected yet.", "aiType"),
        ({"aiType": "oracle"}, "Choose one of the AI apps.", "aiType"),
        ({"type": "company"}, None, "type"),
        ({"recurring": True}, None, "intervalMs"),
        ({"recurring": True, "intervalMs": 59_999}, None, "intervalMs"),
        ({"outreachCadence": {"steps": [{}]}}, None, "outreachCadence"),
        ({"whitelistedCustom": True}, None, "customWhitelistedDomains"),
        ({"additionalFilters": {"shoeSize": 43}}, None, "additionalFilters"),
        ({"enrichmentEnabled": True}, "Connected app not found.", "enrichmentEnabled"),
        ({"contactIds": []}, None, "contactIds"),
    ):
        answer = ready.key.post(START, {**WHO, **body})
        assert answer.status == 400, (body, answer.body)
        assert named in answer.body["warning"], answer.body
        assert message in (None, answer.body["message"])
    assert ready.key.post(START, {}).body["message"] == "Describe the people you are looking for."
    with ready.scope():
        assert (GenieScheduler.objects.count(), LeadGeneration.objects.count()) == (0, 0)
        AiApp.objects.all().delete()
    assert ready.key.post(START, WHO).body["message"] == "No AI writer is connected yet."


def test_a_role_without_contact_post_finds_own_contacts_alone(db: None, people: DataServer) -> None:
    cast = make_cast({"genie": {"GET": True, "POST": True}})
    with cast.scope():
        SmtpFactory()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        DataApp.objects.create(kind="lead-source", name="Finder", url=people.url, field_paths={"email": "email"})
        ContactFactory(name="Berlin", email="b@berlin.example")
    assert make_cast({"genie": {"GET": True}}).narrow_session.post(START, WHO).status == 403
    made = cast.narrow_session.post(START, {"prompt": "Berlin"})
    assert made.status == 201, made.body
    preview = cast.narrow_session.post(f"{START}/search-preview", {"prompt": "Berlin"}).data
    assert (preview["ownContacts"], preview["sources"]) == (None, [])
    drained()
    assert people.asked == []
    with cast.scope():
        assert Lead.objects.get().contact.name == "Berlin"


def test_what_people_were_looked_for_by_is_in_no_message(ready: Cast) -> None:
    preview = ready.key.post(f"{START}/search-preview", {**WHO, "count": 7}).data
    assert (preview["about"], preview["count"], preview["ownContacts"]) == ("invite them to our open day.", 7, 2)
    assert ready.key.post(f"{START}/search-preview", {"prompt": "Gardeners"}).data["about"] == ""
    run = started(ready, draft=True)
    other = started(ready, prompt="Gardeners", draft=True)
    drained()
    with ready.scope():
        invited, greeted = (SendJob.objects.get(run=id) for id in (run, other))
    for job in (invited, greeted):
        assert not {"managers", "Gardeners", "looking"} & set(f"{job.subject} {job.text}".split())
        assert "writing to you about" not in job.text
    assert "invite you to our open day" in invited.text
    shown = enter(ready.owner).get(at(ready.owner, f"outreach/{run}"))
    assert "Ann marketing (Job title), manager (Job title), berlin (Job title)" in text_of(shown)
    checked = ready.session.put(f"/genie/send-jobs/{invited.pk}", {"text": f"{invited.text}\n\nPS"}).data
    assert "prompt" in {claim["source"] for claim in checked["evidence"]}
