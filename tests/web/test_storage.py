"""The pages of storage and of scans of cards; S3 and OCR.space themselves are in tests/outreach."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core import s3
from core.s3 import S3Failed
from crm.models import Bucket, Contact, File
from outreach.connections.ocr.cards import Line
from outreach.connections.ocr.providers import OcrFailed
from outreach.connections.ocr.providers.ocr_space import OcrSpace
from outreach.connections.storage.pages import HAPPENED
from outreach.models import CardScan, Ocr
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.outreach.helpers import work
from tests.web.helpers import at, enter, text_of, toast_of

CARD = Path(__file__).parents[1] / "outreach" / "connections" / "ocr" / "data" / "card.png"
SECRET = "canary/secret+4f9d1c"
SENT = {
    "do": "save",
    "name": "acme-files",
    "region": "eu-central-1",
    "endpoint": "http://127.0.0.1:9",
    "accesskey": "AKIDCANARY7Q2WXYZ",
    "secretkey": SECRET,
}


def test_a_bucket_is_connected_tested_and_switched_off(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client, place, form = (
        enter(cast.owner),
        at(cast.owner, "settings/storage"),
        at(cast.owner, "settings/storage/bucket"),
    )
    assert "Files are stored here" in text_of(client.get(place))

    def refuse(*_: Any) -> None:
        raise S3Failed("NoSuchBucket", "There is no bucket of this name (NoSuchBucket).")

    monkeypatch.setattr(s3, "check", refuse)
    refused = client.post(form, SENT)
    assert (refused.status_code, "The storage refused. There is no bucket of this name" in text_of(refused)) == (
        422,
        True,
    )
    assert text_of(refused).count("key : Enter this value again.") == 2
    assert SECRET not in html_of(refused)
    tried = {"unreachable": "x could not be reached.", "SignatureDoesNotMatch": "The storage refuses these keys."}
    for code, detail in tried.items():
        failed = S3Failed(code, detail)
        monkeypatch.setattr(s3, "check", Mock(side_effect=failed))
        page = text_of(client.post(form, SENT))
        assert f"{HAPPENED[code]} {detail}" in page
        assert "Invalid credentials" not in page
    monkeypatch.setattr(s3, "check", lambda *_: None)
    assert "Connected" in toast_of(client, client.post(form, SENT))
    with cast.scope():
        bucket = Bucket.objects.get()
        File.objects.create(name="a.csv", size=1, mime="text/csv", storage="bucket", bucket=bucket, path="x")
        file = File.objects.get()
    page = client.get(place)
    assert "acme-files Default" in text_of(page)
    assert SECRET not in html_of(page)
    assert "In your bucket acme-files" in text_of(client.get(at(cast.owner, f"files/{file.pk}")))
    action = {"kind": "bucket", "id": bucket.pk}
    assert "Test passed: a file was written" in toast_of(client, client.post(place, {**action, "do": "test"}))
    monkeypatch.setattr(s3, "check", refuse)
    assert "Test failed: There is no bucket" in toast_of(client, client.post(place, {**action, "do": "test"}))
    assert "There is no bucket of this name" in text_of(client.get(f"{form}?id={bucket.pk}"))
    assert "Switched off" in toast_of(client, client.post(place, {**action, "do": "off"}))
    moved = client.post(f"{form}?id={bucket.pk}", {**SENT, "name": "other-files"})
    assert (moved.status_code, "Files are in this bucket" in text_of(moved)) == (422, True)
    narrow = enter(cast.narrow)
    assert narrow.get(place).status_code == 403


def test_a_card_is_scanned_and_saved_by_a_person(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    client, scan = enter(cast.owner), at(cast.owner, "contacts/scan")
    before = client.get(scan)
    assert 'capture="environment"' in html_of(before)
    assert "Connect a card reader" in text_of(before)
    assert cast.session.get("/contact/scan/reader").data == {"name": ""}

    def send() -> Any:
        return client.post(scan, {"do": "scan", "file": SimpleUploadedFile("card.png", CARD.read_bytes())})

    none = send()
    assert (none.status_code, "No card reader connected" in text_of(none)) == (422, True)
    assert client.post(scan, {"do": "scan"}).status_code == 422
    reader = at(cast.owner, "settings/storage/reader")
    wrong = client.post(reader, {"do": "save", "name": "ocr-space", "key": "", "confidence": "0.9"})
    assert (wrong.status_code, "Enter the key from OCR.space." in text_of(wrong)) == (422, True)
    client.post(reader, {"do": "save", "name": "ocr-space", "key": SECRET, "confidence": "0.9"})
    assert SECRET not in html_of(client.get(at(cast.owner, "settings/storage")))
    assert (cast.session.get("/contact/scan/reader").data["name"], "Connect a reader" in text_of(client.get(scan))) == (
        "ocr-space",
        False,
    )

    lines = [
        Line("Ann Lee", 0.99),
        Line("<script>x</script> Ltd"),
        Line("ann.lee@example.org", 0.97),
        Line("Mobile +44 7400 123456", 0.6),
    ]
    monkeypatch.setattr(OcrSpace, "read", lambda *_, **__: lines)
    waiting = client.get(send()["Location"])
    assert "Reading the card takes" in text_of(waiting)
    work("card-scan")
    with cast.scope():
        found = CardScan.objects.get()
    told = client.get(at(cast.owner, f"contacts/scan/{found.pk}"))
    assert "97% sure" in text_of(told)
    assert "<script>x" not in html_of(told)
    assert "Read as +447400123456, but only 60% sure" in text_of(told)
    form = client.get(at(cast.owner, f"contacts/new?scan={found.pk}"))
    content = html_of(form)
    assert 'value="ann.lee@example.org"' in content
    assert 'value="Ann Lee"' in content
    assert "From the card, 97% sure." in text_of(form)
    assert "Read as +447400123456, but only 60% sure." in text_of(form)
    with cast.scope():
        assert not Contact.objects.exists()
    values = {"do": "save", "name": "Ann Lee", "email": "ann.lee@example.org", "countryCode": "+44"}
    made = client.post(at(cast.owner, f"contacts/new?scan={found.pk}"), {**values, "number": "7400123456"})
    assert "Contact created" in toast_of(client, made)

    def fail(*_: Any, **__: Any) -> list[Line]:
        raise OcrFailed("OCR.space cannot read this picture.", temporary=False)

    monkeypatch.setattr(OcrSpace, "read", fail)
    place = send()["Location"]
    work("card-scan")
    told = text_of(client.get(place))
    assert "The card could not be read OCR.space cannot read this picture. Take a photo" in told
    assert "Try another photo" in told
    with cast.scope():
        action = {"kind": "ocr", "id": Ocr.objects.get().pk, "do": "test"}
    storage = at(cast.owner, "settings/storage")
    assert "Test failed: OCR.space cannot" in toast_of(client, client.post(storage, action))
    assert enter(cast.narrow).post(scan, {"do": "scan"}).status_code in (403, 422)
