"""/chat-widget, for members: what it takes, what it refuses, and that companies never meet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from outreach.chat.widgets.hours import is_open
from outreach.chat.widgets.script import MAX_BYTES, read_script
from outreach.models import ChatWidget
from tests.kit.cast import Cast
from tests.outreach.chat.widgets.helpers import made

HOURS = {"timezone": "Europe/Berlin", "days": [{"day": 1, "from": "09:00", "to": "17:00"}]}


def test_a_widget_is_made_changed_and_deleted(cast: Cast, outsiders: Cast) -> None:
    widget = made(cast, allowedOrigins=["HTTPS://Shop.Example.com:443/path", "http://bücher.example:8080"])
    assert widget["allowedOrigins"] == ["https://shop.example.com", "http://xn--bcher-kva.example:8080"]
    assert widget["snippet"] == f'<script src="{widget["scriptUrl"]}" async></script>'
    path = f"/chat-widget/{widget['_id']}"
    asked = [{"key": "email", "required": True}, {"key": "orderNumber", "label": "Order"}]
    changed = cast.session.put(path, {"businessHours": HOURS, "preChat": asked, "texts": {"send": "Los", "title": " "}})
    assert changed.status == 200, changed.body
    assert [(one["key"], one["type"], one["required"]) for one in changed.data["preChat"]] == [
        ("email", "email", True),
        ("orderNumber", "text", False),
    ]
    assert (changed.data["businessHours"], changed.data["texts"]) == (HOURS, {"send": "Los"})
    assert cast.session.put(path, changed.data).status == 200  # what GET gave can be sent back
    taken = cast.key.post("/chat-widget", {"name": "SITE"})
    assert (taken.status, taken.body["message"]) == (400, "A website chat with this name already exists.")
    assert made(outsiders)["name"] == "Site"
    assert outsiders.key.get(path).status == 400
    for body in ({"ids": []}, {}):
        none = cast.key.delete("/chat-widget", body)
        assert (none.status, none.body["message"]) == (400, "Select at least one website chat.")
    missing = outsiders.key.delete("/chat-widget", {"ids": [widget["_id"]]})
    assert (missing.status, missing.body["message"]) == (400, "Website chat not found.")
    assert cast.narrow_session.get("/chat-widget").status == 403
    assert cast.key.delete("/chat-widget", {"ids": [widget["_id"]]}).data == {"deletedCount": 1}
    with cast.scope():
        assert not ChatWidget.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"allowedOrigins": ["acme"]}, "allowedOrigins"),
        ({"allowedOrigins": ["ftp://acme.example"]}, "allowedOrigins"),
        ({"allowedOrigins": ["https://*.acme.example"]}, "allowedOrigins"),
        ({"allowedOrigins": ["https://user@acme.example"]}, "allowedOrigins"),
        ({"color": "red"}, "color"),
        ({"texts": {"nothing": "x"}}, "texts"),
        ({"preChat": [{"key": "a b", "label": "x"}]}, "preChat"),
        ({"preChat": [{"key": "own"}]}, "preChat"),
        ({"preChat": [{"key": "name"}, {"key": "name"}]}, "preChat"),
        ({"businessHours": {"timezone": "Mars", "days": []}}, "businessHours"),
        ({"businessHours": {**HOURS, "days": [{"day": 1, "from": "17:00", "to": "09:00"}]}}, "businessHours"),
        ({"businessHours": {**HOURS, "days": [{"day": 8, "from": "07:00", "to": "09:00"}]}}, "businessHours"),
        ({"chatbot": "0" * 24}, "chatbot"),
    ],
)
def test_what_is_wrong_is_named(cast: Cast, body: dict[str, Any], field: str) -> None:
    refused = cast.key.post("/chat-widget", {"name": "Site", **body})
    assert refused.status in (400, 404)
    assert refused.body["warning"].startswith(field), refused.body


def test_hours_go_by_the_clock_of_the_zone() -> None:
    for at, expected in (
        ("2026-07-06T06:59:59Z", False),  # 08:59 in Berlin
        ("2026-07-06T07:00:00Z", True),
        ("2026-07-06T15:00:00Z", False),
        ("2026-12-07T08:00:00Z", True),  # in winter an hour later
        ("2026-07-07T08:00:00Z", False),
    ):
        assert is_open(HOURS, datetime.fromisoformat(at)) is expected, at
    assert is_open({}, datetime.fromisoformat("2026-07-07T08:00:00Z"))
    late = {"timezone": "UTC", "days": [{"day": 2, "from": "20:00", "to": "24:00"}]}
    assert is_open(late, datetime.fromisoformat("2026-07-07T23:59:59Z"))


def test_the_script_is_small_and_may_be_loaded_from_everywhere() -> None:
    assert 5000 < len(read_script()[0]) <= MAX_BYTES
    answer = Client().get("/widget/abc.js")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert Client().get("/widget/abc.js", headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert Client().post("/widget/abc.js").status_code == 405
