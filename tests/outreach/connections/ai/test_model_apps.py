"""GET, POST /apps/ai-a and /apps/ai-b, GET, PUT …/:id, POST …/:id/test; and what chooses an app for a run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from billing.subscriptions.services import override_subscription
from outreach.connections.ai.budgets import CompanyMeter
from outreach.connections.ai.model_apps import TEST_BRIEF
from outreach.connections.ai.providers import ProviderError
from outreach.connections.ai.services import provider_for
from outreach.models import AiApp, AiUsage
from tests.kit.ai_server import KEY, AiServer, Raw
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.web.helpers import at, enter, text_of

MISSING = "0" * 24
DEFAULTS = {
    "ai-a": {"temperature": 0.9, "topP": 1, "topK": 1, "maxOutputTokens": 2048},
    "ai-b": {"temperature": 0.9, "topP": 1, "maxOutputTokens": 2048, "frequencyPenalty": 0, "presencePenalty": 0},
}


def connected(cast: Cast, server: AiServer, kind: str = "ai-b", **values: Any) -> dict[str, Any]:
    """Connect an app to the stand-in, through the API."""
    own = {"baseUrl": f"{server.url}/v1/", "selectedModel": "small-1"} if kind == "ai-b" else {}
    answer = cast.session.post(f"/apps/{kind}", {"name": "Model", "apiKey": KEY, **own, **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


@pytest.mark.parametrize(
    ("kind", "error"), [("ai-a", "InvalidAiAConfiguration_400"), ("ai-b", "InvalidAiBConfiguration_400")]
)
def test_an_app_is_connected_tested_changed_and_switched_off(
    cast: Cast, server: AiServer, settings: Any, caplog: pytest.LogCaptureFixture, kind: str, error: str
) -> None:
    settings.VENDOR_BASE_URLS = {"ai-a": server.url}
    made = connected(cast, server, kind, pricePerMillionIn=1, pricePerMillionOut=10)
    place = f"/apps/{kind}/{made['_id']}"
    assert made["modelSettings"] == DEFAULTS[kind]
    assert (made["isDefault"], made["isActive"], made["timeoutSeconds"], made["provider"]) == (True, True, 60, kind)
    assert made["selectedModel"] == ("small-1" if kind == "ai-b" else "gemini-2.5-flash-lite")
    tested = cast.key.post(f"{place}/test")
    assert (tested.status, tested.body["message"], tested.data["model"]) == (
        200,
        "The AI app works.",
        made["selectedModel"],
    )
    assert "Example Gardens" in tested.data["text"]
    (call,) = cast.key.get("/ai-usage").data
    assert (call["purpose"], call["tokensIn"], call["tokensOut"], call["cost"]) == ("test", 300, 120, 0.0015)
    assert (call["app"]["_id"], call["run"]) == (made["_id"], None)

    server.then(Raw(401, json.dumps({"error": {"message": f"no such key: {KEY}"}}).encode()))
    failed = cast.key.post(f"{place}/test")
    text = "The AI app's settings are wrong. Check its key and model."
    assert (failed.status, failed.body["name"], failed.body["message"]) == (400, error, text)
    assert "refuses the key. It says: no such key: …" in failed.body["warning"]
    server.then(Raw(429, b"{}", {"Retry-After": "9"}))
    limited = cast.key.post(f"{place}/test")
    assert (limited.status, limited.headers["Retry-After"]) == (429, "9")
    shown = cast.key.get(place)
    assert "takes no more calls at the moment" in shown.data["lastError"]

    changed = cast.session.put(place, {"modelSettings": {"temperature": 0}, "apiKey": "", "monthlyTokenCap": 5})
    assert changed.data["modelSettings"] == {**DEFAULTS[kind], "temperature": 0}
    assert (changed.data["monthlyTokenCap"], changed.data["lastError"]) == (5, "")
    over = cast.key.post(f"{place}/test")
    assert (over.status, over.body["message"]) == (429, "Your plan's AI limit is reached.")
    assert "The cap of “Model”, 5 tokens a month" in over.body["warning"]
    with cast.scope():
        app, contact = AiApp.objects.get(), ContactFactory().pk
        SmtpFactory()
        assert app.api_key == KEY
        assert AiUsage.objects.count() == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT row_to_json(a)::text FROM outreach_aiapp a")
            assert KEY not in cursor.fetchone()[0]
    assert cast.session.put(place, {"isActive": False}).data["isActive"] is False
    off = cast.key.post("/genie/from-contacts", {"contactIds": [contact], "aiType": kind})
    assert (off.status, off.body["message"]) == (400, "The default AI writer is switched off. Choose another writer.")
    answers = [
        made,
        tested.body,
        failed.body,
        limited.body,
        shown.body,
        changed.body,
        cast.key.get(f"/apps/{kind}").body,
    ]
    assert KEY not in json.dumps(answers) + caplog.text + repr(app)
    assert cast.key.get(f"/apps/{kind}/{MISSING}").body["message"] == "AI app not found."


@pytest.mark.parametrize("kind", ["ai-a", "ai-b"])
@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Raw(502, b"bad gateway"), "answers with an error (502)"),
        (Raw(503, b"{}"), "answers with an error (503)"),
        (Raw(body=b"x" * 100, trickle=0.5), "did not answer within 1 seconds"),
        (Raw(body=b"{", length=500), "broke the connection off"),
        ("http://127.0.0.1:1", "could not be reached"),
        ("https://nowhere.invalid", "could not be reached"),
    ],
    ids=["502", "503", "slow", "broken off", "down", "without a name"],
)
def test_a_server_that_is_down_is_no_wrong_configuration(
    cast: Cast,
    server: AiServer,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    step: Raw | str,
    words: str,
) -> None:
    monkeypatch.setattr("outreach.connections.ai.providers.model.pause", lambda failures, left: None)
    settings.VENDOR_BASE_URLS = {"ai-a": server.url}
    app = connected(cast, server, kind)
    place = f"/apps/{kind}/{app['_id']}"
    if isinstance(step, Raw):
        server.then(step, lasting=True)
    else:
        settings.VENDOR_BASE_URLS = {"ai-a": step}
        with cast.scope():
            record = AiApp.objects.get(pk=app["_id"])
            record.base_url = record.base_url and step
            record.api_key = KEY  # bound to the address
            record.save()
    monkeypatch.setattr("outreach.connections.ai.model_apps.TEST_SECONDS", 1)
    failed = cast.key.post(f"{place}/test")
    assert (failed.status, failed.body["message"]) == (500, "The AI model's reply could not be read. Try again.")
    assert words in failed.body["warning"]
    assert cast.key.get(place).data["lastError"] == failed.body["warning"]


@pytest.mark.parametrize(
    ("kind", "body", "named"),
    [
        ("ai-a", {}, "name"),
        ("ai-a", {"name": "A"}, "apiKey"),
        ("ai-b", {"name": "A"}, "apiKey"),
        ("ai-b", {"name": "A", "apiKey": "two words"}, "apiKey"),
        ("ai-b", {"name": "A", "baseUrl": "http://127.0.0.1:9/v1"}, "selectedModel"),
        ("ai-a", {"name": "A", "apiKey": "k", "modelSettings": {"temperature": 2.1}}, "modelSettings.temperature"),
        ("ai-a", {"name": "A", "apiKey": "k", "modelSettings": {"topK": 1.5}}, "modelSettings.topK"),
        (
            "ai-a",
            {"name": "A", "apiKey": "k", "modelSettings": {"frequencyPenalty": 0}},
            "modelSettings.frequencyPenalty",
        ),
        ("ai-a", {"name": "A", "apiKey": "k", "timeoutSeconds": 121}, "timeoutSeconds"),
        ("ai-a", {"name": "A", "apiKey": "k", "baseUrl": "https://x.example"}, "baseUrl"),
        *(
            ("ai-b", {"name": "A", "apiKey": "k", "baseUrl": url}, "baseUrl")
            for url in (
                *("ftp://127.0.0.1/v1", "file://localhost:80/etc/passwd", "//127.0.0.1:9/v1", "http://127.0.0.1:0/v1"),
                *(
                    "http://127.0.0.1:99999/v1",
                    "http://127.0.0.1:abc/v1",
                    "http://:pw@127.0.0.1/v1",
                    "http://a\r\nb/v1",
                ),
            )
        ),
        ("ai-b", {"name": "A", "apiKey": "k", "baseUrl": "http://me:pw@127.0.0.1/v1"}, "baseUrl"),
        ("ai-b", {"name": "A", "apiKey": "k", "baseUrl": "http://10.0.0.1/v1"}, "baseUrl"),
        ("ai-b", {"name": "A", "apiKey": "k", "baseUrl": "https://nowhere.invalid/v1"}, "baseUrl"),
    ],
)
def test_what_cannot_be_connected(cast: Cast, kind: str, body: dict[str, Any], named: str) -> None:
    answer = cast.key.post(f"/apps/{kind}", body)
    assert answer.status == 400
    assert named in answer.body["warning"]
    with cast.scope():
        assert not AiApp.objects.exists()


def test_a_company_has_one_default_and_never_sees_anothers(cast: Cast, outsiders: Cast, server: AiServer) -> None:
    first, second = connected(cast, server), connected(cast, server, "ai-a", isDefault=True)
    assert cast.key.get(f"/apps/ai-b/{first['_id']}").data["isDefault"] is False
    for path in (f"/apps/ai-a/{second['_id']}", f"/apps/ai-b/{second['_id']}"):
        assert outsiders.key.get(path).status == 400
    assert cast.key.get(f"/apps/ai-b/{second['_id']}").body["message"] == "AI app not found."
    assert outsiders.key.post(f"/apps/ai-a/{second['_id']}/test").status == 400
    assert server.asked == []


def test_the_plan_says_whether_there_is_a_model(cast: Cast, server: AiServer) -> None:
    connected(cast, server)
    with cast.scope():
        contact = ContactFactory().pk
        SmtpFactory()
    override_subscription(company_id=cast.company.pk, modules=None, limits={"ai-tokens": 0})
    refused = cast.session.post("/genie/from-contacts", {"contactIds": [contact], "aiType": "ai-b"})
    assert (refused.status, refused.body["message"]) == (400, "No AI writer is connected yet.")
    override_subscription(company_id=cast.company.pk, modules=None, limits={"ai-tokens": 10})
    assert cast.session.post("/genie/from-contacts", {"contactIds": [contact], "aiType": "ai-b"}).status == 201
    limits = {one["module"]: one for one in cast.session.get("/plans", p="1", n="1").data["limits"]}
    assert limits["ai-tokens"] == {"module": "ai-tokens", "limit": 10, "used": 0, "monthly": False}


def test_an_app_is_deleted_and_the_default_has_no_silent_heir(cast: Cast, outsiders: Cast, server: AiServer) -> None:
    made, other = connected(cast, server), connected(cast, server, name="Second")
    offline = cast.session.post("/apps/ai-offline", {"name": "Offline"}).data
    with cast.scope():
        SmtpFactory()
        contact = ContactFactory(custom={}).pk
    cast.key.post(f"/apps/ai-b/{made['_id']}/test")
    start = {"contactIds": [contact], "prompt": "Invite them"}
    cast.session.put(f"/apps/ai-b/{made['_id']}", {"isActive": False})
    bakers = {"prompt": "Bakers"}
    for path, body in (("/genie/from-contacts", start), ("/genie/draft-preview", start), ("/genie", bakers)):
        refused = cast.key.post(path, body)
        assert (refused.status, refused.body["message"]) == (
            400,
            "The default AI writer is switched off. Choose another writer.",
        ), refused.body
        assert "“Model”, the default AI app, is switched off" in refused.body["warning"]
    client = enter(cast.owner)
    page = client.get(at(cast.owner, "settings/ai"))
    assert "No active app is the default" in text_of(page)
    form = client.post(at(cast.owner, "outreach/find"), {"do": "save", **bakers, "count": "5", "draft": "hold"})
    assert "The default AI writer is switched off" in text_of(form)
    for wrong, body in (
        (outsiders.key, {"ids": [made["_id"]]}),
        (cast.key, {"ids": []}),
        (cast.key, {"ids": [offline["_id"]]}),
    ):
        refused = wrong.delete("/apps/ai-b", body)
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "ids"), refused.body
    assert cast.narrow_session.delete("/apps/ai-b", {"ids": [made["_id"]]}).status == 403
    removed = client.post(at(cast.owner, "settings/ai"), {"do": "delete", "kind": "ai-b", "id": made["_id"]})
    assert removed.status_code == 303
    assert [one["_id"] for one in cast.key.get("/apps/ai-b").data] == [other["_id"]]
    assert cast.key.get("/ai-usage").data[0]["app"] is None
    assert "no AI app is the default" in cast.key.post("/genie/from-contacts", start).body["warning"]
    assert cast.key.post("/genie/from-contacts", {**start, "aiType": "ai-b"}).data["aiType"] == "ai-b"
    assert cast.session.put(f"/apps/ai-offline/{offline['_id']}", {"isDefault": True}).status == 200
    assert cast.key.post("/genie/from-contacts", start).data["aiType"] == "ai-offline"
    assert cast.key.delete("/apps/ai-b", {"selectAll": True}).data == {"deletedCount": 1}


@pytest.mark.django_db(transaction=True)
def test_a_call_of_an_app_that_is_deleted_meanwhile_halts(cast: Cast, server: AiServer) -> None:
    made = connected(cast, server)
    with cast.scope():
        app = AiApp.objects.get()
        assert cast.key.delete("/apps/ai-b", {"ids": [made["_id"]]}).status == 200
        with pytest.raises(ProviderError, match="was deleted meanwhile"):
            provider_for(app, CompanyMeter(app, AiUsage.Purpose.TEST)).compose(TEST_BRIEF)
    assert server.asked == []
