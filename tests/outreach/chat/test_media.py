"""Files that people send are fetched once, within limits; files that members send are given to the vendor."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Role
from crm.models import Contact, File
from crm.privacy.erasure import erase_contact
from outreach.chat.conversations import media
from outreach.models import ChatApp, Conversation, ConversationMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.chat_vendor import ChatVendor, tell, wrote
from tests.outreach.helpers import work

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def send_picture(app: ChatApp, vendor: ChatVendor, content: bytes = PNG, *, number: int = 1, caption: str = "") -> None:
    """Let somebody send a picture to the company."""
    id = f"media.{number}"
    vendor.media[id] = ("image/png", content)
    part = {"id": id, "mime_type": "image/png", "caption": caption}
    assert tell(app, **wrote("", id=f"in.{number}", type="image", image=part)) == 200
    work("chat-events")


def message(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        id = Conversation.objects.get().pk
    found = cast.key.get(f"/conversation/{id}/messages?filters=%7B%22direction%22%3A%22in%22%7D").data
    return dict(found[0])


def again(cast: Cast) -> None:
    """Let the time come when what could not be fetched is asked for again."""
    with cast.scope():
        ConversationMessage.objects.filter(file_due_at__isnull=False).update(file_due_at=Now())
    work("conversation-files")


def test_a_picture_is_fetched_into_the_companys_files(
    cast: Cast, outsiders: Cast, app: ChatApp, vendor: ChatVendor
) -> None:
    send_picture(app, vendor, caption="Our shop")
    before = message(cast)
    assert (before["kind"], before["text"], before["file"], before["fileUrl"]) == ("image", "Our shop", None, "")
    work("conversation-files")
    work("conversation-files")
    found = message(cast)
    assert (found["file"]["name"], found["file"]["mime"], found["file"]["size"]) == ("file.png", "image/png", len(PNG))
    assert found["fileState"] == ""
    opened = cast.key.get(f"/file/{found['file']['_id']}/download")
    assert opened.status == 200
    with cast.scope():
        assert File.objects.get().read_module == "chatapp"
    assert len([one for one in vendor.asked if "content/media.1" in one[1]]) == 1
    assert outsiders.key.get(f"/file/{found['file']['_id']}").status == 404


def test_who_may_not_see_chats_does_not_see_what_came_by_them(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    send_picture(app, vendor)
    work("conversation-files")
    id = message(cast)["file"]["_id"]
    for modules, status in ((["file"], 404), (["file", "chatapp"], 200)):
        with cast.scope():
            Role.objects.filter(pk=cast.narrow.role_id).update(permission={name: {"GET": True} for name in modules})
        assert cast.narrow_session.get(f"/file/{id}").status == status


@pytest.mark.parametrize("hides_size", [False, True])
def test_what_is_too_large_or_no_allowed_type_stays_where_it_is(
    cast: Cast, app: ChatApp, vendor: ChatVendor, monkeypatch: pytest.MonkeyPatch, hides_size: bool
) -> None:
    monkeypatch.setattr(media, "MAX_FILE_BYTES", 1000)
    monkeypatch.setattr("outreach.connections.chat_apps.media.MAX_FILE_BYTES", 1000)
    vendor.hides_size = hides_size
    send_picture(app, vendor, PNG + b"\0" * 1000)
    work("conversation-files")
    large = message(cast)
    assert (large["fileState"], large["file"]) == ("large", None)
    assert len([one for one in vendor.asked if "content/" in one[1]]) == int(hides_size)
    send_picture(app, vendor, b"MZ\x90\x00" + b"\0" * 60, number=2)
    work("conversation-files")
    assert message(cast)["fileState"] == "type"
    with cast.scope():
        assert not File.objects.exists()
        assert not ConversationMessage.objects.filter(file_due_at__isnull=False).exists()


def test_a_vendor_that_is_down_is_asked_again_and_a_file_that_is_gone_is_not(
    cast: Cast, app: ChatApp, vendor: ChatVendor
) -> None:
    vendor.media_faults = [500, 500]
    send_picture(app, vendor)
    work("conversation-files")
    assert message(cast)["fileState"] == "waits"
    again(cast)
    again(cast)
    assert message(cast)["file"]["size"] == len(PNG)
    send_picture(app, vendor, number=2)
    vendor.media.pop("media.2")
    again(cast)
    gone = message(cast)
    assert (gone["fileState"], gone["file"]) == ("gone", None)


def test_a_dead_token_loses_nothing(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    with cast.scope():
        ChatApp.objects.update(access_token="")
        broken = ChatApp.objects.get()
        broken.access_token = "dead"  # noqa: S105
        broken.save()
    send_picture(app, vendor)
    work("conversation-files")
    assert message(cast)["fileState"] == "waits"
    with cast.scope():
        broken.access_token = app.access_token
        broken.save()
    again(cast)
    assert message(cast)["file"]["size"] == len(PNG)


def test_a_worker_that_dies_between_leaves_one_file(
    cast: Cast, app: ChatApp, vendor: ChatVendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_picture(app, vendor)
    whole = media.store_uploads

    def killed(**given: Any) -> None:
        def die(files: list[File]) -> None:
            given["and_then"](files)
            raise KeyboardInterrupt

        whole(**{**given, "and_then": die})

    monkeypatch.setattr(media, "store_uploads", killed)
    with pytest.raises(KeyboardInterrupt):
        work("conversation-files")
    monkeypatch.undo()
    assert message(cast)["file"] is None
    with cast.scope():
        assert ConversationMessage.objects.get().file_due_at > timezone.now() + timedelta(minutes=4)
    again(cast)
    with cast.scope():
        assert list(File.objects.filter(is_deleted=False).values_list("size", flat=True)) == [len(PNG)]
        assert ConversationMessage.objects.get().file.size == len(PNG)


def test_a_chatbot_refuses_what_is_too_large_for_it_once_the_size_is_known(
    cast: Cast, app: ChatApp, vendor: ChatVendor
) -> None:
    bot = {"name": "Hours", "conversations": [{"text": "Thanks"}, {"text": "Bye"}]}
    made = cast.key.post("/manual-chatbot", {**bot, "attachments": {"custom": True, "maxFileSizeMb": 1}})
    assert made.status == 201, made.body
    assert cast.key.post(f"/manual-chatbot/{made.data['_id']}/publish").status == 200
    send_picture(app, vendor, PNG + b"\0" * (1 << 20))
    work("conversation-files")
    assert message(cast)["fileState"] == "chatbot"
    work("send")
    assert vendor.texts() == ["Thanks", "That file is too large: at most 1 MB can be taken."]
    with cast.scope():
        assert not File.objects.exists()
    send_picture(app, vendor, number=2)
    work("conversation-files")
    assert message(cast)["fileState"] == ""


def uploaded(cast: Cast, name: str, content: bytes) -> str:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def test_a_member_answers_with_a_file(cast: Cast, outsiders: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    tell(app, **wrote("Prices?"))
    work("chat-events")
    with cast.scope():
        place = f"/conversation/{Conversation.objects.get().pk}/messages"
    picture, prices = uploaded(cast, "shop.png", PNG), uploaded(cast, "prices.pdf", PDF)
    said = cast.key.post(place, {"file": picture, "text": "Our shop"})
    assert (said.status, said.data["kind"], said.data["file"]["_id"]) == (201, "image", picture)
    assert cast.key.post(place, {"file": prices}).data["kind"] == "document"
    vendor.media_faults = [503]
    work("send")
    with cast.scope():  # nothing was sent, so that the sender rests and the messages wait
        assert set(SendJob.objects.values_list("status", flat=True)) == {"approved"}
        ChatApp.objects.update(paused_until=None)
        SendJob.objects.update(due_at=timezone.now())
    work("send")
    assert sorted((one["type"], *one[one["type"]].values()) for one in vendor.sent) == [
        ("document", "prices.pdf", "up2"),
        ("image", "Our shop", "up1"),
    ]
    assert (vendor.media["up1"], vendor.media["up2"]) == (("image/png", PNG), ("application/pdf", PDF))
    theirs = cast.key.post(place, {"file": uploaded(outsiders, "x.png", PNG)})
    assert (theirs.status, theirs.body["warning"]) == (400, "file: there is no such file in this company")
    both = cast.key.post(place, {"file": picture, "template": "0" * 24})
    assert both.status == 400
    cast.key.delete("/file", {"ids": [picture]})
    gone = cast.key.post(place, {"file": picture})
    assert gone.status == 400


def test_erasure_deletes_what_the_person_has_sent(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    send_picture(app, vendor, caption="Me")
    work("conversation-files")
    with cast.scope():
        contact = Contact.objects.get()
        erase_contact(id=contact.pk, confirm=contact.contact_number or "", actor_id=cast.owner.pk)
        assert not File.objects.filter(is_deleted=False).exists()
        row = ConversationMessage.objects.get()
        assert (row.text, row.media, row.file_id) == ("", None, None)
