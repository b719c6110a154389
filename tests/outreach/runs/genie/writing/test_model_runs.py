"""Runs whose messages a model writes: what they cost, and what waits when a cap is reached or the model is away."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import Any

import orjson
import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crm.models import CustomField
from outreach.connections.ai.budgets import MAX_COST
from outreach.connections.ai.providers import model
from outreach.models import AiBudget, AiUsage, GenieScheduler, LeadGeneration, SendJob
from outreach.runs.genie.writing import samples
from tests.kit.ai_server import TOKENS, AiServer, Raw, Say, ai_server, message, write
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.connections.ai.test_model_apps import connected
from tests.outreach.helpers import Post, planned, run_of, statuses, work
from tests.web.helpers import at, enter, text_of

EACH = sum(TOKENS)
START = "/genie/from-contacts"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(model, "pause", lambda failures, left: None)
    with ai_server() as found:
        yield found


def detail(cast: Cast, run: str) -> dict[str, Any]:
    return dict(cast.key.get(f"/genie/{run}").data)


def test_a_run_is_priced_held_up_by_its_cap_told_why_and_goes_on(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server, pricePerMillionIn=1, pricePerMillionOut=10)
    with cast.scope():
        contacts = [ContactFactory(custom={}).pk for _ in range(5)]
    body = {"contactIds": contacts, "prompt": "Invite them to our open day", "aiType": "ai-b"}
    preview = cast.key.post("/genie/draft-preview", body).data
    price = preview["price"]
    assert (preview["modelCalls"], len(preview["drafts"]), len(server.asked)) == (5, 3, 3)
    assert price["cost"] == pytest.approx((price["tokensIn"] + 10 * price["tokensOut"]) / 1e6, abs=1e-6)
    assert (price["currency"], price["tokensLeft"], price["fits"]) == ("USD", None, True)
    first = len(orjson.dumps(server.asked[0].body)) // 2 + 1 + 2048
    assert price["callTokens"] >= first
    alone = {**body, "contactIds": contacts[:1]}
    told = [cast.key.post("/genie/draft-preview", {**alone, "tokenCap": cap}).data["price"] for cap in (1000, 4000)]
    assert [(one["tokensLeft"], one["fits"]) for one in told] == [(1000, False), (4000, True)]
    assert told[0]["tokensIn"] + told[0]["tokensOut"] < 1000 < told[0]["callTokens"] < 4000
    server.asked.clear()
    with cast.scope():
        AiUsage.objects.all().delete()
        AiBudget.objects.all().delete()
    cast.key.post("/genie/draft-preview", body)

    # Two messages fit: what a call reserves is more than what it takes.
    cap = EACH + len(orjson.dumps(server.asked[0].body)) // 2 + 2048 + EACH // 2
    run = cast.key.post(START, {**body, "tokenCap": cap, "draft": True}).data["_id"]
    work("genie")
    assert statuses(cast, run) == {"draft": 2, "planned": 3}
    shown = detail(cast, run)
    assert (shown["phase"], shown["aiUse"]["tokens"], shown["tokenCap"]) == ("planning", 2 * EACH, cap)
    assert shown["nextDecision"]["reason"] == "ai_limit_reached"
    assert "The limit for AI use is reached." in shown["nextDecision"]["sentence"]
    assert f"The cap of this run, {cap:,} tokens, leaves no room" in shown["nextDecision"]["sentence"]
    with cast.scope():
        held = SendJob.objects.filter(status="planned").first()
        assert (held.attempts, held.text) == (0, "")
    told = cast.key.get(f"/genie/send-jobs/{held.pk}").data
    assert (told["reason"], told["decision"]["state"]) == ("ai_limit_reached", "wait")
    assert [step["to"] for step in told["transitions"]] == ["planned"]
    before = len(server.asked)
    with time_machine.travel(timezone.now() + timedelta(minutes=70)):
        work("genie")  # it looks again by itself, and asks nobody
        assert (len(server.asked), statuses(cast, run)) == (before, {"draft": 2, "planned": 3})
    assert cast.key.post(f"/genie/send-jobs/{held.pk}/cancel").status == 200
    assert cast.session.put(f"/genie/{run}", {"tokenCap": None}).data["tokenCap"] is None
    work("genie")
    assert statuses(cast, run) == {"draft": 4, "cancelled": 1}
    assert (run_of(cast, run).status, detail(cast, run)["phase"]) == ("completed", "awaiting_approval")

    calls = cast.key.get("/ai-usage", filters={"purpose": "compose"}, p="1", n="3")
    assert (calls.body["totalCount"], len(calls.data), calls.data[0]["run"]["_id"]) == (4, 3, run)
    assert cast.key.get("/ai-usage", p="1", n="2", cursorPagination="true").body["nextCursor"]
    (month,) = cast.key.get("/ai-usage/summary").data["months"]
    assert (month["calls"], month["tokensIn"], month["cost"]) == (7, 7 * TOKENS[0], 0.0105)
    assert cast.key.get("/ai-usage/caps").data["tokens"] == 7 * EACH
    with cast.scope():
        assert not AiUsage.objects.filter(status="reserved").exists()
        assert not AiBudget.objects.exclude(tokens_reserved=0, cost_reserved=0).exists()


def test_a_company_cap_answers_429_and_holds_runs_until_next_month(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    caps = cast.session.put("/ai-usage/caps", {"monthlyTokenCap": 100, "runCostCap": 2.5}).data
    assert (caps["monthlyTokenCap"], caps["runCostCap"], caps["monthlyCostCap"], caps["tokens"]) == (100, 2.5, None, 0)
    with cast.scope():
        contact = ContactFactory(custom={}).pk
    body = {"contactIds": [contact], "aiType": "ai-b"}
    refused = cast.key.post("/genie/draft-preview", body)
    assert (refused.status, refused.body["message"]) == (429, "Your plan's AI limit is reached.")
    assert int(refused.headers["Retry-After"]) > 0
    run = cast.key.post(START, body).data["_id"]
    work("genie")
    assert (statuses(cast, run), server.asked) == ({"planned": 1}, [])
    decision = detail(cast, run)["nextDecision"]
    assert decision["until"] >= cast.key.get("/ai-usage/caps").data["endsAt"][:7]
    assert "Expected: " in decision["sentence"]
    assert run_of(cast, run).cost_cap == 2.5
    assert cast.key.post(f"/genie/{run}/cancel").data["cancelledCount"] == 1
    viewer = cast.narrow_session.put("/ai-usage/caps", {"monthlyTokenCap": None})
    assert viewer.status == 403


def test_a_model_that_is_away_holds_messages_and_one_that_refuses_fails_its_own(
    cast: Cast, post: Post, server: AiServer
) -> None:
    made = connected(cast, server)
    server.then(Raw(401, b'{"error": {"message": "no"}}'), lasting=True)
    run = planned(cast, 3, aiType="ai-b")
    assert (statuses(cast, run), len(server.asked)) == ({"planned": 3}, 1)
    assert detail(cast, run)["nextDecision"]["reason"] == "ai_trouble"
    with CaptureQueriesContext(connection) as asked:
        listed = cast.key.get("/genie/send-jobs", run=run, p="1", n="20").data
    assert sum("outreach_sendjob" in one["sql"] for one in asked) <= 4  # not one for each message
    for one in listed:
        decision = one["decision"]
        assert (decision["state"], decision["reason"], decision["until"] is None) == ("wait", "ai_trouble", False)
        assert "the AI app has an error" in decision["sentence"]
        assert one["error"] in decision["sentence"]
        known = cast.key.get(f"/genie/send-jobs/{one['_id']}").data["decision"]
        assert known["sentence"] == decision["sentence"]
    good = message(subject="Hello", body="Hello from us all, dear reader, in these days.", claims=[])
    server.then(Say("", "refused"), Say(good, tokens=None), lasting=True)
    assert cast.session.put(f"/apps/ai-b/{made['_id']}", {"apiKey": "sk-new"}).status == 200
    work("genie")
    assert statuses(cast, run) == {"failed": 1, "draft": 2}  # nothing proves what they say, so that they are held
    with cast.scope():
        failed = SendJob.objects.get(status="failed")
        assert (failed.reason, failed.error) == ("compose_failed", "The model refused to write this message.")
        assert set(SendJob.objects.filter(status="draft").values_list("error", "attempts")) == {("", 0)}
        assert GenieScheduler.objects.get().status == "completed"
        assert min(AiUsage.objects.filter(tokens_out__gt=0).values_list("tokens_in", flat=True)) > 100


def test_leads_are_judged_by_the_model_and_by_keywords_where_it_fails(cast: Cast, server: AiServer) -> None:
    connected(cast, server)
    with cast.scope():
        ContactFactory(name="Gardener Ann", custom={})
    body = {"prompt": "gardener", "count": 5, "aiType": "ai-b"}
    for reply, score in ((None, 0.9), (Raw(500), 1.0)):
        if reply is not None:
            server.then(reply, lasting=True)
        id = cast.key.post("/lead/lead-gen-ai", body).data["_id"]
        work("lead-generation")
        shown = cast.key.get(f"/lead/lead-gen-ai/{id}").data
        assert (shown["status"], [lead["score"] for lead in shown["leads"]]) == ("completed", [score]), shown
        with cast.scope():
            cast.key.delete("/lead", {"ids": [lead["_id"] for lead in shown["leads"]]})
    with cast.scope():
        assert AiUsage.objects.get().purpose == "judge"
        assert LeadGeneration.objects.count() == 2


def test_samples_take_seconds_all_together(
    cast: Cast, post: Post, server: AiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(cast, server)
    monkeypatch.setattr(samples, "SAMPLE_SECONDS", 1.5)
    server.then(write, Raw(body=b"x" * 100, trickle=0.1), lasting=True)
    with cast.scope():
        contacts = [ContactFactory(custom={}).pk for _ in range(3)]
    began = monotonic()
    answer = cast.key.post("/genie/draft-preview", {"contactIds": contacts, "aiType": "ai-b"})
    assert (answer.status, monotonic() - began < 4) == (200, True)
    first, slow, none = answer.data["drafts"]
    assert (bool(first["text"]), first["error"], slow["text"], none["text"]) == (True, "", "", "")
    assert "did not answer within 1 seconds" in slow["error"]
    assert "no time left" in none["error"]
    assert len(server.asked) == 2


def test_huge_prices_and_tiny_caps_are_refused_by_name_and_nothing_overflows(
    cast: Cast, post: Post, server: AiServer
) -> None:
    made = connected(cast, server, pricePerMillionIn=10**8, pricePerMillionOut=10**8)
    place = f"/apps/ai-b/{made['_id']}"
    for path, body in (
        (place, {"pricePerMillionIn": 10**9}),
        (place, {"monthlyCostCap": 1e-7}),
        (place, {"monthlyCostCap": 1e300}),
        (place, {"monthlyTokenCap": 10**18}),
        ("/ai-usage/caps", {"runCostCap": 4e-7}),
    ):
        refused = cast.session.put(path, body)
        assert (refused.status, next(iter(body)) in refused.body["warning"]) == (400, True), body
    for path in (START, "/genie/draft-preview"):
        tiny = cast.key.post(path, {"contactIds": [], "costCap": 1e-9})
        assert (tiny.status, "costCap" in tiny.body["warning"]) == (400, True)
    assert cast.session.put("/ai-usage/caps", {"runCostCap": 0.0000014}).data["runCostCap"] == 0.000001
    cast.session.put("/ai-usage/caps", {"runCostCap": None})
    server.then(Say(message(), tokens=(10**12, 10**12)), lasting=True)
    run = planned(cast, 1, aiType="ai-b")
    with cast.scope():
        assert AiBudget.objects.get(key=f"run:{run}").cost_used == 20_000_000 * 100
        AiBudget.objects.update(cost_used=MAX_COST - 10**9)
    assert cast.key.post(f"{place}/test").status == 200
    over = cast.key.post(f"{place}/test")
    assert (over.status, "100,000,000,000 in cost" in over.body["warning"]) == (429, True)


def test_a_model_that_fails_at_judging_is_paid_for_and_seen(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    with cast.scope():
        CustomField.objects.create(name="Job title", panel="contact", field_type="text", unique_field_id="job")
        ContactFactory(name="Ann", custom={"job": "Baker"})
    price = cast.key.post("/genie/search-preview", {"prompt": "Bakers", "aiType": "ai-b", "count": 1}).data["price"]
    assert price["tokensOut"] > 5 * model.TYPICAL_JUDGEMENT
    server.then(Say("I would rather not."), Say("No."))
    run = cast.key.post("/genie", {"prompt": "Bakers", "aiType": "ai-b", "draft": True}).data["_id"]
    work("lead-generation")
    shown = detail(cast, run)
    assert shown["generation"]["created"] == 1, "the words found decide"
    assert "1 of 1 people were not judged by ai-b, but by the words found." in shown["generation"]["judgeError"]
    assert shown["aiUse"]["tokens"] == 2 * EACH
    calls = cast.key.get("/ai-usage", filters={"run": run, "purpose": "judge"}).data
    assert [bool(one["error"]) for one in calls] == [True, True]
    page = text_of(enter(cast.owner).get(at(cast.owner, f"outreach/{run}")))
    assert "were not judged by ai-b" in page
    assert "Failed:" in text_of(enter(cast.owner).get(at(cast.owner, "settings/ai/calls")))
    work("genie")
    assert cast.key.get("/ai-usage", filters={"purpose": "compose"}).data[0]["error"] == ""


def test_a_model_that_takes_no_more_calls_is_told_from_a_cap(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    with cast.scope():
        contact = ContactFactory(custom={}).pk
    server.then(Raw(429, b'{"error": {"message": "slow down"}}', {"Retry-After": "40"}), lasting=True)
    refused = cast.key.post("/genie/draft-preview", {"contactIds": [contact], "aiType": "ai-b"})
    assert (refused.status, refused.body["message"]) == (429, "The AI model is busy. Try again in a minute.")
    assert (refused.headers["Retry-After"], "slow down" in refused.body["warning"]) == ("40", True)
    run, asked = planned(cast, 2, aiType="ai-b"), len(server.asked)
    waits = detail(cast, run)["nextDecision"]
    assert (waits["reason"], "a cap of AI use" in waits["sentence"]) == ("ai_busy", False)
    assert "takes no more calls at the moment" in text_of(enter(cast.owner).get(at(cast.owner, f"outreach/{run}")))
    server.then()
    work("genie")
    assert len(server.asked) == asked, "not before the server has said"
    with time_machine.travel(timezone.now() + timedelta(seconds=41)):
        work("genie")
    assert statuses(cast, run).get("planned") is None
