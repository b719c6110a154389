"""The pages of AI apps: connecting, testing, caps and use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from outreach.models import AiApp, AiCaps
from tests.kit.ai_server import KEY, AiServer, Raw, ai_server
from tests.kit.cast import Cast, make_cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


@pytest.fixture
def server() -> Iterator[AiServer]:
    with ai_server() as found:
        yield found


def test_a_model_is_connected_tested_capped_and_switched_off(cast: Cast, server: AiServer) -> None:
    client = enter(cast.owner)
    place, form = at(cast.owner, "settings/ai"), at(cast.owner, "settings/ai/app?kind=ai-b")
    assert "No AI writer connected" in text_of(client.get(place))
    sent = {
        "do": "save",
        "name": "Our <b>llama</b>",
        "baseUrl": f"{server.url}/v1",
        "apiKey": KEY,
        "temperature": "3",
        "pricePerMillionIn": "0.5",
    }
    refused = client.post(form, sent)
    assert (refused.status_code, "Enter a number of at most 2." in text_of(refused)) == (422, True)
    assert "Model required" in text_of(refused)  # the server is their own
    assert "Key : Enter this value again." in text_of(refused)
    assert "Model required" not in text_of(client.get(form))
    assert KEY not in html_of(refused)
    sent["temperature"] = "0.2"
    assert "selectedModel" not in text_of(client.post(form, sent))
    toast = toast_of(client, client.post(form, {**sent, "selectedModel": "small-1"}))
    assert "Saved. small-1 works." in toast
    with cast.scope():
        app = AiApp.objects.get()
        assert (app.is_default, app.model_settings["temperature"], app.api_key) == (True, 0.2, KEY)
    one = {"id": app.pk, "kind": "ai-b"}
    tested = toast_of(client, client.post(place, {"do": "test", **one}))
    assert "Test passed: small-1 wrote “A word from Example Gardens”" in tested
    server.then(Raw(401, b'{"error": {"message": "who are you?"}}'))
    failed = toast_of(client, client.post(place, {"do": "test", **one}))
    assert ("Test failed: 127.0.0.1" in failed, 'class="toast bad"' in failed) == (True, True)
    shown = html_of(client.get(place))
    assert "Our &lt;b&gt;llama&lt;/b&gt;" in shown
    assert "refuses the key. It says: who are you?" in shown
    assert KEY not in shown

    edit = f"{form}&id={app.pk}"
    assert 'value="0.2"' in html_of(client.get(edit))
    moved = client.post(edit, {**sent, "apiKey": "", "selectedModel": "small-1", "baseUrl": "http://127.0.0.1:9/v1"})
    assert (moved.status_code, "Enter it again to change the connection settings" in text_of(moved)) == (422, True)
    server.then(Raw(401, b'{"error": {"message": "who are you?"}}'))
    saved = client.post(edit, {**sent, "apiKey": "", "selectedModel": "small-2", "isActive": "on"})
    assert "Saved. The test failed, but the default app stays on." in toast_of(client, saved)
    assert saved["Location"] == edit
    shown = text_of(client.get(edit))
    assert (shown.count("who are you?"), "Correct the settings, turn on Active, then save." in shown) == (1, True)

    use = at(cast.owner, "settings/ai/use")
    assert "2 calls · 840 tokens" in text_of(client.get(use))
    wrong = client.post(use, {"do": "save", "monthlyTokenCap": "-1"})
    assert wrong.status_code == 422
    assert "Waiting messages continue" in toast_of(
        client, client.post(use, {"do": "save", "monthlyTokenCap": "1680", "runCostCap": "1.5"})
    )
    assert "840 of 1,680" in text_of(client.get(use))
    with cast.scope():
        assert AiCaps.objects.values_list("monthly_token_cap", "run_cost_cap").get() == (1680, 1.5)
    calls = text_of(client.get(at(cast.owner, "settings/ai/calls")))
    assert "Tests" in calls
    assert "small-1" in calls

    assert "Built-in writer" in toast_of(client, client.post(at(cast.owner, "settings/ai/built-in")))
    assert "Deactivated" in toast_of(client, client.post(place, {"do": "off", **one}))
    with cast.scope():
        offline = AiApp.objects.get(provider="offline-composer")
    default = {"do": "default", "kind": "ai-offline", "id": offline.pk}
    assert "default AI writer" in toast_of(client, client.post(place, default))
    with cast.scope():
        assert list(AiApp.objects.order_by("created_at").values_list("is_active", "is_default")) == [
            (False, False),
            (True, True),
        ]


def test_an_app_that_fails_its_test_is_off_and_says_so_once(cast: Cast, server: AiServer) -> None:
    client = enter(cast.owner)
    client.post(at(cast.owner, "settings/ai/built-in"))
    sent = {"do": "save", "name": "Llama", "baseUrl": f"{server.url}/v1", "apiKey": KEY, "selectedModel": "small-1"}
    server.then(Raw(401, b'{"error": {"message": "who are you?"}}'))
    saved = client.post(at(cast.owner, "settings/ai/app?kind=ai-b"), {**sent, "isDefault": "on"})
    shown = text_of(client.get(saved["Location"]))
    assert ("Saved, but off: the test failed" in shown, shown.count("who are you?")) == (True, 1)
    with cast.scope():
        app = AiApp.objects.get(provider="ai-b")
        assert (app.is_active, app.is_default, AiApp.objects.filter(is_default=True, is_active=True).count()) == (
            False,
            False,
            1,
        )
    again = {**sent, "apiKey": "", "isActive": "on", "isDefault": "on"}
    assert "Saved. small-1 works." in toast_of(client, client.post(saved["Location"], again))
    assert "The last test failed" not in text_of(client.get(saved["Location"]))
    with cast.scope():
        app.refresh_from_db()
        assert (app.is_active, app.is_default) == (True, True)


def test_a_reader_sees_what_there_is_and_changes_nothing(db: None) -> None:
    reader = make_cast({"apps": {"GET": True}})
    with reader.scope():
        app = AiApp.objects.create(provider="ai-b", name="Model", base_url="https://llm.example/v1", api_key=KEY)
    client = enter(reader.narrow)
    for path in ("settings/ai", f"settings/ai/app?kind=ai-b&id={app.pk}", "settings/ai/use", "settings/ai/calls"):
        page = client.get(at(reader.owner, path))
        assert page.status_code == 200
        assert KEY not in html_of(page)
        assert 'name="do"' not in html_of(page).partition("<main")[2]
    assert "https://llm.example/v1" in text_of(client.get(at(reader.owner, f"settings/ai/app?kind=ai-b&id={app.pk}")))
    client.post(at(reader.owner, "settings/ai"), {"do": "off", "kind": "ai-b", "id": app.pk})
    with reader.scope():
        assert AiApp.objects.get().is_active
