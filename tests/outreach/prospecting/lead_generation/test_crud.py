"""/lead/lead-gen-ai: the search for leads among the company's contacts."""

from __future__ import annotations

from typing import Any

import pytest

from billing.subscriptions.services import override_subscription
from crm.models import Contact, CustomField, Lead
from outreach.connections.ai.providers import Fit, ProviderError
from outreach.connections.ai.providers.base import ContactBrief
from outreach.connections.ai.providers.matching import match_share, terms_of
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.models import AiApp, LeadGeneration
from outreach.prospecting.lead_generation import services as lead_generation
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory, TagFactory
from tests.outreach.helpers import work

PATH = "/lead/lead-gen-ai"
MISSING = "0" * 24
WHO = {"prompt": "Find marketing managers in Berlin"}


@pytest.fixture
def ready(cast: Cast) -> Cast:
    """A company with an AI app, and five contacts of whom two fit."""
    with cast.scope():
        AiApp.objects.create(provider=OfflineComposer.key, name="Offline", is_default=True)
        for name in ("job-title", "city"):
            CustomField.objects.create(name=name.title(), panel="contact", field_type="text", unique_field_id=name)
    people = (
        ("Ann", "Marketing Manager", "Berlin"),
        ("Bob", "Manager", "Hamburg"),
        ("Cy", "Gardener", "Rome"),
        ("Di", "Head of Marketing", "Berlin"),
        ("Ed", "Cook", "Berlin"),
    )
    items = [
        {
            "name": name,
            "email": f"{name}@{city}.example",
            "countryCode": "+49",
            "number": f"1512345678{n}",
            "job-title": job,
            "city": city,
        }
        for n, (name, job, city) in enumerate(people)
    ]
    assert len(cast.key.post("/contact/bulk", {"formData": items}).data["created"]) == 5
    return cast


def generated(cast: Cast, body: dict[str, Any]) -> dict[str, Any]:
    """The search after a worker has made it."""
    made = cast.key.post(PATH, body)
    assert made.status == 201, made.body
    work("lead-generation")
    return dict(cast.key.get(f"{PATH}/{made.data['_id']}").data)


def test_the_best_become_leads_with_reasons(ready: Cast) -> None:
    with ready.scope():
        tag = TagFactory()
    answer = ready.key.post(
        PATH, {**WHO, "count": 2, "tags": [tag.pk], "formData": {"source": "website", "value": 500}}
    )
    assert (answer.status, answer.data["status"], answer.data["percent"], answer.data["created"]) == (
        201,
        "queued",
        0.0,
        0,
    )
    work("lead-generation")
    shown = ready.session.get(f"{PATH}/{answer.data['_id']}").data
    assert (
        shown["status"],
        shown["total"],
        shown["processed"],
        shown["percent"],
        shown["created"],
        shown["error"],
    ) == (
        *("completed", 5, 5, 100.0, 2),
        "",
    )
    assert [(lead["contact"]["name"], lead["score"]) for lead in shown["leads"]] == [("Ann", 1.0), ("Di", 0.6667)]
    assert shown["leads"][0]["reason"] == "marketing (Job-Title), manager (Job-Title), berlin (City)"
    with ready.scope():
        leads = {lead.contact.name: lead for lead in Lead.objects.select_related("contact")}
        assert {
            name: (lead.pk, lead.source, float(lead.value or 0), lead.tag_links.get().tag_id)
            for name, lead in leads.items()
        } == {each["contact"]["name"]: (each["_id"], "website", 500.0, tag.pk) for each in shown["leads"]}


def test_who_has_a_lead_is_left_out_and_a_second_search_finds_the_next(ready: Cast) -> None:
    with ready.scope():
        LeadFactory(contact=Contact.objects.get(name="Ann"))
    assert [lead["contact"]["name"] for lead in generated(ready, {**WHO, "count": 1})["leads"]] == ["Di"]
    none = generated(ready, WHO)
    assert (none["status"], none["created"], none["leads"]) == ("completed", 0, [])
    assert "No contact without a lead" in none["error"]
    assert "Only people in Berlin were looked for." in none["error"]  # Bob is a manager in Hamburg
    found = generated(ready, {"prompt": "Managers in hamburg, to offer them our coffee", "count": 5})["leads"]
    assert [(lead["contact"]["name"], lead["reason"]) for lead in found] == [
        ("Bob", "manager (Job-Title), hamburg (City)")
    ]


def test_filters_domains_and_industry_narrow_it(ready: Cast) -> None:
    anywhere = {"prompt": "Find marketing managers"}
    narrow = generated(ready, {**anywhere, "additionalFilters": {"city": "Hamburg"}})
    assert [lead["contact"]["name"] for lead in narrow["leads"]] == ["Bob"]
    tree = {"field": "name", "operator": "startsWith", "value": "D"}
    assert [lead["contact"]["name"] for lead in generated(ready, {**WHO, "additionalFilters": tree})["leads"]] == ["Di"]
    assert generated(ready, {**WHO, "customWhitelistedDomains": ["rome.example", "@BERLIN.example"]})["total"] == 3
    found = generated(ready, {"prompt": "somebody in Rome", "industry": "gardening"})
    assert [(lead["contact"]["name"], lead["score"]) for lead in found["leads"]] == [("Cy", 0.3333)]


def test_it_goes_on_where_a_killed_worker_stopped(ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lead_generation, "BATCH", 1)
    looked: list[int] = []
    best = lead_generation._best

    def dies_at_the_third(job: LeadGeneration, contacts: list[Contact], *rest: Any) -> Any:
        looked.append(len(contacts))
        if len(looked) == 3:
            raise RuntimeError("the third batch")
        return best(job, contacts, *rest)

    monkeypatch.setattr(lead_generation, "_best", dies_at_the_third)
    made = ready.key.post(PATH, {**WHO, "count": 1}).data["_id"]
    work("lead-generation")
    with ready.scope():
        stopped = LeadGeneration.objects.get(pk=made)
        assert (stopped.status, stopped.processed, Lead.objects.count()) == ("queued", 2, 0)
        LeadGeneration.objects.filter(pk=made).update(due_at=stopped.created_at)
    work("lead-generation")
    shown = ready.key.get(f"{PATH}/{made}").data
    assert (shown["status"], shown["processed"], shown["created"], shown["leads"][0]["contact"]["name"]) == (
        "completed",
        5,
        1,
        "Ann",
    )
    assert len(looked) == 6


def test_a_provider_may_know_better_and_may_fail(ready: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def prefers_bob(self: Any, search: Any, contacts: list[ContactBrief], fits: list[Fit]) -> list[Fit]:
        return [Fit(0.9, "said so") if contact.name == "Bob" else Fit(0.0) for contact in contacts]

    monkeypatch.setattr(OfflineComposer, "judge_many", prefers_bob)
    found = generated(ready, {"prompt": "Find marketing managers"})["leads"]
    assert [(lead["contact"]["name"], lead["reason"]) for lead in found] == [("Bob", "said so")]

    def fails(*_: Any) -> list[Fit]:
        raise ProviderError("refused", "The key is wrong.", temporary=False)

    monkeypatch.setattr(OfflineComposer, "judge_many", fails)
    failed = generated(ready, WHO)
    assert (failed["status"], failed["error"], failed["leads"]) == ("failed", "The key is wrong.", [])


def test_the_plan_bounds_the_leads_of_what_a_session_starts(ready: Cast) -> None:
    override_subscription(company_id=ready.company.pk, modules=None, limits={"lead": 1})
    made = ready.session.post(PATH, WHO)
    assert made.status == 201, made.body
    work("lead-generation")
    shown = ready.session.get(f"{PATH}/{made.data['_id']}").data
    assert (shown["status"], shown["created"]) == ("completed", 1)
    assert "1 could not be made" in shown["error"]


def test_cancel(ready: Cast) -> None:
    made = ready.key.post(PATH, WHO).data["_id"]
    answer = ready.key.put(f"{PATH}/{made}", {"status": "cancelled"})
    assert (answer.status, answer.data["status"]) == (200, "cancelled")
    assert ready.key.put(f"{PATH}/{made}", {"status": "cancelled"}).data["status"] == "cancelled"
    work("lead-generation")
    with ready.scope():
        assert Lead.objects.count() == 0
    done = generated(ready, WHO)["_id"]
    late = ready.key.put(f"{PATH}/{done}", {"status": "cancelled"})
    assert (late.status, "completed already" in late.body["warning"]) == (400, True)


def test_bad_bodies_name_the_field_and_start_nothing(ready: Cast) -> None:
    for body, status, message, named in (
        ({}, 400, "Describe the people you are looking for.", "prompt"),
        ({"prompt": "find me some good leads please"}, 400, "Describe the people you are looking for.", "prompt"),
        ({**WHO, "count": 51}, 400, "Choose up to 50 people.", "count"),
        ({**WHO, "count": 0}, 400, None, "count"),
        ({**WHO, "additionalFilters": {"shoeSize": 43}}, 400, None, "additionalFilters"),
        ({**WHO, "additionalFilters": [1]}, 400, None, "additionalFilters"),
        ({**WHO, "customWhitelistedDomains": ["x|.*"]}, 400, None, "customWhitelistedDomains"),
        ({**WHO, "aiType": "oracle"}, 400, None, "aiType"),
        ({**WHO, "formData": {"email": "a@example.org"}}, 400, None, "email"),
        ({**WHO, "formData": {"nonsense": 1}}, 400, None, "nonsense"),
        ({**WHO, "team": MISSING}, 400, None, "team"),
        ({**WHO, "unknown": 1}, 400, None, "unknown"),
    ):
        answer = ready.key.post(PATH, body)
        assert answer.status == status, (body, answer.body)
        assert named in answer.body["warning"], answer.body
        assert message in (None, answer.body["message"])
    with ready.scope():
        assert LeadGeneration.objects.count() == 0


def test_without_an_ai_app_nothing_starts(cast: Cast) -> None:
    answer = cast.key.post(PATH, WHO)
    assert (answer.status, "aiType" in answer.body["warning"]) == (400, True)


def test_list_pages_searches_and_keeps_companies_apart(ready: Cast, outsiders: Cast) -> None:
    ids = [ready.key.post(PATH, {"prompt": f"gardeners of town {n}"}).data["_id"] for n in range(3)]
    page = ready.session.get(PATH, p=1, n=2)
    assert ([row["_id"] for row in page.data], page.body["totalCount"]) == ([ids[2], ids[1]], 3)
    assert [row["_id"] for row in ready.key.get(PATH, searchValue="town 1").data] == [ids[1]]
    assert outsiders.key.get(PATH).data == []
    for answer in (
        outsiders.key.get(f"{PATH}/{ids[0]}"),
        ready.key.get(f"{PATH}/{MISSING}"),
        outsiders.key.put(f"{PATH}/{ids[0]}", {"status": "cancelled"}),
    ):
        assert answer.status == 404
    assert ready.key.get(f"{PATH}/nonsense").status == 400


def test_roles(db: None) -> None:
    reader = make_cast({"lead-gen-ai": {"GET": True}})
    assert reader.narrow_session.get(PATH).status == 200
    assert reader.narrow_session.post(PATH, WHO).status == 403
    assert make_cast({"lead": {"GET": True, "POST": True}}).narrow_session.get(PATH).status == 403


def test_words_that_say_something_are_found_in_any_value(db: None) -> None:
    assert [term.word for term in terms_of("Find me the best plumbers for our new office in Köln!", "Heating")] == [
        *("heating", "plumbers", "office", "köln"),
    ]
    contact = ContactBrief(
        name="Ann", email="ann@plumber-king.example", fields={"Town": "KÖLN"}, tags=("VIP",), category="Heating firms"
    )
    found = match_share(terms_of("plumbers in Köln", "heating"), contact)
    assert (found.score, found.reason) == (1.0, "heating (category), plumber (email), köln (Town)")
    assert match_share(terms_of("man", ""), ContactBrief(fields={"Job": "Manager"})).score == 0.0
    assert match_share((), contact).score == 0.0
