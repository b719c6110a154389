"""Files that come and go by messenger apps and accounts of the second social platform."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from core.jobs.sweeper import MAX_DEATHS
from outreach.chat.conversations import media
from outreach.models import Conversation, ConversationMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.direct_vendors import (
    DirectVendors,
    comment,
    direct,
    tell,
    update,
)
from tests.outreach.chat.direct_apps import answered, connected
from tests.outreach.helpers import work

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\0" * 40


def test_files_come_from_a_bot_and_go_by_it(cast: Cast, vendors: DirectVendors) -> None:
    app = connected(cast, "messenger")
    vendors.files["pic1"] = PNG
    sizes = [{"file_id": "small"}, {"file_id": "pic1", "file_size": len(PNG)}]
    tell(app, update("", photo=sizes, caption="Our shop"))
    work("chat-events")
    work("conversation-files")
    with cast.scope():
        message = ConversationMessage.objects.get()
        assert (message.kind, message.text, message.file.size) == ("image", "Our shop", len(PNG))
    file = cast.key.upload("/upload", SimpleUploadedFile("plan.png", PNG)).data["_id"]
    answered(cast, "Look", file=file)
    work("send")
    [sent] = vendors.sent
    assert (sent["method"], sent["chat_id"], sent["caption"], sent["photo"]) == ("sendPhoto", b"900", b"Look", PNG)


def test_files_go_by_an_account_as_addresses(cast: Cast, vendors: DirectVendors) -> None:
    app = connected(cast, "social-b")
    tell(app, direct("Hello"))
    work("chat-events")
    files = {
        name: cast.key.upload("/upload", SimpleUploadedFile(name, content)).data["_id"]
        for name, content in (("plan.png", PNG), ("list.pdf", b"%PDF-1.4\n%%EOF\n"), ("rows.csv", b"a,b\n1,2\n"))
    }
    answered(cast, "", file=files["plan.png"])
    answered(cast, "", file=files["list.pdf"])
    work("send")
    kinds = [one["message"]["attachment"]["type"] for one in vendors.sent]
    assert kinds == ["image", "file"]
    [(url, to)] = [(one["message"]["attachment"]["payload"]["url"], one["recipient"]["id"]) for one in vendors.sent[:1]]
    found = Client().get(urlsplit(url).path)
    assert (b"".join(found.streaming_content), to) == (PNG, "5005")
    with cast.scope():
        assert {job.status for job in SendJob.objects.all()} == {"sent"}
        place = f"/conversation/{Conversation.objects.get().pk}/messages"
    for body, named in (({"file": files["rows.csv"]}, "file"), ({"file": files["plan.png"], "text": "Look"}, "text")):
        refused = cast.key.post(place, body)
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, named), body
    tell(app, comment("Nice!"))
    work("chat-events")
    with cast.scope():
        below = Conversation.objects.get(address__startswith="comment:").pk
    refused = cast.key.post(f"/conversation/{below}/messages", {"file": files["plan.png"]})
    assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "file")
    assert cast.key.get(f"/conversation/{below}").data["takesFiles"] is False
    assert len(vendors.sent) == 2


def test_a_picture_to_an_account_is_fetched_from_where_the_platform_says(cast: Cast, vendors: DirectVendors) -> None:
    app = connected(cast, "social-b")
    vendors.files["a"] = PNG
    tell(app, direct("", attachments=[{"type": "image", "payload": {"url": f"{vendors.url}/cdn/a"}}]))
    work("chat-events")
    work("conversation-files")
    with cast.scope():
        assert ConversationMessage.objects.get().file.mime == "image/png"


def test_a_file_that_cannot_be_taken_in_keeps_nobody_waiting(
    cast: Cast, vendors: DirectVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = connected(cast, "social-b")
    vendors.files["a"] = PNG
    places = ("https://[bad/x", "https://ok.example:99999/x", f"{vendors.url}/cdn/a")
    for number, url in enumerate(places):
        tell(app, direct("", id=f"mid.{number}", attachments=[{"type": "image", "payload": {"url": url}}]))
    work("chat-events")
    work("conversation-files")
    with cast.scope():
        rows = ConversationMessage.objects.order_by("pk")
        assert [(one.file_error, one.file is not None) for one in rows] == [
            ("gone", False),
            ("gone", False),
            ("", True),
        ]
        assert not rows.filter(file_due_at__isnull=False).exists()

    def breaks(*_: Any) -> Any:
        raise UnicodeError("bytes that nobody has thought of")

    monkeypatch.setattr(media, "_fetch", breaks)
    tell(app, direct("", id="mid.9", attachments=[{"type": "image", "payload": {"url": places[2]}}]))
    work("chat-events")
    work("conversation-files")
    with cast.scope():
        broken = ConversationMessage.objects.latest("pk")
        assert (broken.file_error, broken.file_due_at, broken.file_deaths) == ("failed", None, 0)


def test_a_file_that_kills_its_workers_is_parked(
    cast: Cast, vendors: DirectVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = connected(cast, "social-b")
    tell(app, direct("", attachments=[{"type": "image", "payload": {"url": f"{vendors.url}/cdn/a"}}]))
    work("chat-events")
    killed = []

    def die(message: ConversationMessage) -> Any:
        killed.append(message.pk)
        raise KeyboardInterrupt

    monkeypatch.setattr(media, "_fetch", die)
    for _ in range(MAX_DEATHS):
        with pytest.raises(KeyboardInterrupt):
            work("conversation-files")
        with cast.scope():
            ConversationMessage.objects.update(file_due_at=timezone.now())
    work("conversation-files")
    with cast.scope():
        found = ConversationMessage.objects.get()
    assert (len(killed), found.file_error, found.file_due_at) == (MAX_DEATHS, "failed", None)
