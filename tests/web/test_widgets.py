"""The pages of website chats: set up, preview, change, delete."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import orjson

from outreach.models import ChatWidget
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import EVIL, at, enter, text_of, toast_of

SENT: dict[str, Any] = {
    "name": EVIL,
    "isActive": "on",
    "allowedOrigins": "https://www.acme.example\nhttps://acme.example/shop",
    "color": "#15803d",
    "position": "left",
    "greeting": EVIL,
    "chatbot": "",
    "asks": ["name", "email"],
    "needs": ["email"],
    "days": ["1", "2"],
    "from": "09:00",
    "to": "17:00",
    "timezone": "Europe/Berlin",
    "offlineForm": "on",
    "texts": "send = Los\ntitle = Chat with us",
}


def test_a_widget_is_set_up_with_a_preview(cast: Cast) -> None:
    client = enter(cast.owner)
    assert "No website chats yet" in text_of(client.get(at(cast.owner, "widgets")))
    new = at(cast.owner, "widgets/new")
    framed = client.post(new, {**SENT, "do": "preview"})
    assert framed["Content-Security-Policy"] == "default-src 'none'; script-src 'self'; frame-ancestors 'self'"
    shown = orjson.loads(unescape(re.search(r'data-preview="([^"]*)"', html_of(framed))[1]))  # type: ignore[index]
    assert (shown["greeting"], shown["texts"]["send"], shown["position"]) == (EVIL, "Los", "left")
    wrong = client.post(new, {**SENT, "allowedOrigins": "acme", "do": "save"})
    assert (wrong.status_code, "Enter addresses such as" in text_of(wrong)) == (422, True)
    wrong = client.post(new, {**SENT, "texts": "sned = Los", "do": "save"})
    assert (wrong.status_code, "There is no text “sned”" in text_of(wrong)) == (422, True)
    added = client.post(new, {**SENT, "do": "save"})
    assert "Website chat added" in toast_of(client, added)
    with cast.scope():
        made = ChatWidget.objects.get()
        assert added["Location"] == at(cast.owner, f"widgets/{made.pk}")
        assert made.allowed_origins == ["https://www.acme.example", "https://acme.example"]
        assert made.texts == {"send": "Los"}
        assert [(one["key"], one["required"]) for one in made.pre_chat] == [("name", False), ("email", True)]
        assert [one["day"] for one in made.business_hours["days"]] == [1, 2]
    one = at(cast.owner, f"widgets/{made.pk}")
    page = client.get(one)
    assert f"/widget/{made.token}.js" in unescape(html_of(page))
    changed = client.post(one, {**SENT, "name": "Shop", "days": [], "isActive": "", "do": "save"})
    assert "Website chat saved" in toast_of(client, changed)
    with cast.scope():
        made.refresh_from_db()
        assert (made.name, made.business_hours) == ("Shop", {})
    assert "Website chat deleted" in toast_of(client, client.post(one, {"do": "delete"}))
