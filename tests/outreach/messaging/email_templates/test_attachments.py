"""Files that go with mails: of templates, in tests, in campaigns and follow-ups, by servers and vendors."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from email import message_from_bytes, policy
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from crm.models import File
from outreach.connections.mail_vendors.registry import VENDORS
from outreach.connections.mail_vendors.transport import message_of
from outreach.connections.smtp.message import build
from outreach.connections.smtp.parts import Attachment
from outreach.messaging.delivery import attachments
from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.connections.smtp.test_message import MAIL
from tests.outreach.helpers import Post, work

WORDS = {"subject": "Offer", "body": "<p>Dear {{contact.name}}, see the offer.</p>"}
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"


def file(cast: Cast, name: str = "Ängebot 1.pdf", content: bytes = PDF) -> str:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return str(answer.data["_id"] if isinstance(answer.data, dict) else answer.data[0]["_id"])


def files_in(raw: bytes) -> list[tuple[str | None, str, bytes]]:
    mail = message_from_bytes(raw, policy=policy.default)
    return [
        (one.get_filename(), one.get_content_type(), one.get_payload(decode=True))  # type: ignore[misc]
        for one in mail.iter_attachments()
    ]


def template(cast: Cast, *ids: str) -> str:
    made = cast.key.post("/template/email", {"name": "Offer", **WORDS, "attachments": list(ids)})
    assert (made.status, made.data["attachments"]) == (201, list(ids)), made.body
    return str(made.data["_id"])


def campaign(cast: Cast, template: str, **values: Any) -> str:
    with cast.scope():
        people = [ContactFactory(custom={}).pk for _ in range(2)]
    body = {"name": "Offers", "templateId": template, "contactIds": people, **values}
    return str(cast.key.post("/campaign", body).data["_id"])


def test_files_go_with_tests_messages_and_versions(cast: Cast, post: Post, monkeypatch: Any) -> None:
    pdf, csv = file(cast), file(cast, "Prices.csv", "Plan;Preis\nGold;5 €\n".encode("cp1252"))
    id = template(cast, pdf, csv)
    shown = cast.session.get(f"/template/email/{id}/preview").data["attachments"]
    assert [(one["name"], one["size"], one["missing"]) for one in shown] == [
        ("Ängebot 1.pdf", len(PDF), False),
        ("Prices.csv", 20, False),
    ]
    sent = cast.session.post("/campaign/test/smtp", {"to": [cast.owner.email], "templateId": id})
    assert (sent.status, len(sent.data["attachments"])) == (200, 2), sent.body
    known = files_in(post.server.received[-1])
    assert known == [
        ("Ängebot 1.pdf", "application/pdf", PDF),
        ("Prices.csv", "text/csv", "Plan;Preis\nGold;5 €\n".encode("cp1252")),
    ]
    reads: list[str] = []
    opened = attachments.open_content
    monkeypatch.setattr(attachments, "_kept", OrderedDict())  # those of the test mail
    monkeypatch.setattr(attachments, "open_content", lambda one: reads.append(one.pk) or opened(one))
    run = campaign(cast, id, smtp=post.smtp.pk)
    assert cast.key.post(f"/campaign/{run}/start").status == 200
    changed = cast.key.put(f"/template/email/{id}", {"attachments": []}).data
    assert (changed["attachments"], changed["version"]) == ([], 2)
    work("genie")
    work("send")
    assert [files_in(mail) for mail in post.server.received[-2:]] == [known, known]
    assert sorted(reads) == sorted([pdf, csv])  # once for both messages
    back = cast.key.post(f"/template/email/{id}/restore", {"version": 1}).data
    assert (back["attachments"], back["version"]) == ([pdf, csv], 3)
    [message, _] = cast.key.get(f"/campaign/{run}/messages").data
    assert [one["name"] for one in message["attachments"]] == ["Ängebot 1.pdf", "Prices.csv"]
    with cast.scope():
        job = SendJob.objects.get(pk=message["_id"])
        before = job.content_hash
        job.attachments = job.attachments[:1]
        assert (message["contentHash"], job.content_hash == before) == (before, False)


def test_a_file_that_is_gone_keeps_messages_from_going(cast: Cast, post: Post) -> None:
    pdf = file(cast)
    id = template(cast, pdf)
    first, second = campaign(cast, id, smtp=post.smtp.pk), campaign(cast, id, name="Second", smtp=post.smtp.pk)
    assert cast.key.post(f"/campaign/{first}/start").status == 200
    work("genie")
    with cast.scope():
        File.objects.update(trashed_at=timezone.now())
    work("send")
    found = cast.key.get(f"/campaign/{first}/messages").data
    assert {(one["status"], one["reason"], one["error"]) for one in found} == {
        ("failed", "attachment_missing", "Ängebot 1.pdf was deleted, or is in the recycle bin.")
    }
    assert found[0]["sentence"].startswith("Not sent: an attached file was deleted.")
    refused = cast.key.post(f"/campaign/{second}/start")
    assert (refused.status, refused.body["message"], refused.body["warning"]) == (
        *(400, "File not found."),
        "templateId.attachments: Ängebot 1.pdf was deleted, or is in the recycle bin",
    )
    assert cast.key.get(f"/template/email/{id}/preview").data["attachments"][0]["missing"] is True
    step = {"delay": {"amount": 1, "unit": "days"}, "template": id}
    with cast.scope():
        people = [ContactFactory(custom={}).pk]
    run = {"contactIds": people, "prompt": "x", "outreachCadence": {"steps": [step]}}
    assert cast.key.post("/genie/from-contacts", run).body["warning"].startswith("outreachCadence.steps[0].template")
    assert len(post.server.received) == 0


def test_what_does_not_go_with_a_mail_is_refused_with_its_name(cast: Cast, monkeypatch: Any) -> None:
    page = file(cast, "page.html", b"<!doctype html><html><body><p>Hi</p></body></html>")
    script = file(cast, "run.js", b"plain words, whatever it is called\n")
    pdf = file(cast)

    def told(ids: list[str]) -> str:
        answer = cast.key.post("/template/email", {"name": "B", **WORDS, "attachments": ids})
        assert answer.status == 400, answer.body
        return str(answer.body["warning"])

    assert told([page]) == "attachments: remove page.html; mail servers refuse its type"
    assert told([script]).startswith("attachments: remove run.js")
    assert told(["0" * 24]).startswith("attachments: there is no file")
    monkeypatch.setattr(attachments, "MAX_FILES", 0)
    assert told([pdf]) == "attachments: choose at most 0 files"
    monkeypatch.setattr(attachments, "MAX_FILES", 10)
    monkeypatch.setattr(attachments, "MAX_BYTES", 10)
    assert told([pdf]).startswith("attachments: the files have 0 MB together")
    with cast.scope():
        narrow = cast.narrow.role
        narrow.permission = {**narrow.permission, "template": {"POST": True, "GET": True}}
        narrow.save()
    refused = cast.narrow_session.post("/template/email", {"name": "B", **WORDS, "attachments": [pdf]})
    assert (refused.status, refused.body["warning"]) == (403, "attachments: your role lacks the permission file.GET")


def test_the_same_mail_gives_the_same_bytes_and_vendors_get_its_files() -> None:
    mail = replace(MAIL, attachments=(Attachment("a\r\nX: y.pdf", "application/pdf", PDF),))
    assert build(mail) == build(mail)
    assert (files_in(build(mail)), build(mail).isascii()) == ([("a X: y.pdf", "application/pdf", PDF)], True)
    for vendor in VENDORS.values():
        assert message_of(vendor, mail).attachments == [("a X: y.pdf", PDF, "application/pdf")]
