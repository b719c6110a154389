"""Requests a minute, of a caller and of its company: the headers, the refusal, the plan's limits."""

from __future__ import annotations

from typing import Any

import pytest

from billing.subscriptions.services import override_subscription
from core.access import attempts, pace
from tests.kit.cast import Cast


@pytest.fixture(autouse=True)
def nothing_counted(limits: None) -> None:
    if keys := list(attempts._client().scan_iter("leadwright:pace:*")):
        attempts._client().delete(*keys)


def limit(cast: Cast, **limits: int) -> None:
    named = {name.replace("_", "-"): value for name, value in limits.items()}
    override_subscription(company_id=cast.company.pk, modules=None, limits=named)


def test_answers_tell_what_is_left(cast: Cast, settings: Any) -> None:
    settings.API_REQUESTS_A_MINUTE, settings.API_REQUESTS_A_MINUTE_EACH = 1000, 500
    first, missing = cast.key.get("/tag"), cast.key.get("/tag/" + "0" * 24)
    assert first.headers["RateLimit-Policy"] == '"caller";q=500;w=60, "company";q=1000;w=60'
    left = [answer.headers["RateLimit"].split(";")[1] for answer in (first, missing)]
    assert int(left[0][2:]) == int(left[1][2:]) + 1
    assert missing.status >= 400


@pytest.mark.parametrize(("name", "whose"), [("api_requests_each", "this API key"), ("api_requests", "your company")])
def test_the_plan_limits_requests(cast: Cast, outsiders: Cast, name: str, whose: str) -> None:
    limit(cast, **{name: 2})
    answers = [cast.key.get("/tag") for _ in range(3)]
    assert [one.status for one in answers][-1] == 429
    refused = answers[-1]
    assert refused.body["warning"].startswith(whose)
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert ";r=0;" in refused.headers["RateLimit"]
    assert cast.session.get("/tag").status == (200 if name == "api_requests_each" else 429)
    assert outsiders.key.get("/tag").status == 200


def test_without_redis_each_process_counts(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "_in_redis", lambda call: None)
    limit(cast, api_requests_each=2)
    assert [cast.key.get("/tag").status for _ in range(3)] == [200, 200, 429]


def test_a_request_costs_one_round_trip(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(pace, "count_all", lambda keys, seconds: calls.append(keys) or [(1, 60.0)] * 2)
    cast.key.get("/tag")
    assert [len(keys) for keys in calls] == [2]
