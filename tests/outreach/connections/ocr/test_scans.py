"""/apps/ocr, POST /contact/scan and GET /contact/scan/:id."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from core.jobs import WORK, sweep
from core.jobs.liveness import release_lock
from core.tenancy import unscoped
from crm.models import CustomField, File
from outreach.connections.ocr.providers.local import LocalOcr
from outreach.connections.ocr.services import delete_scans_of_deleted_files
from outreach.connections.ocr.testing import png, sample_picture
from outreach.models import CardScan, Ocr
from tests.kit.cast import Cast
from tests.outreach.helpers import work

CARD = Path(__file__).parent / "data" / "card.png"
KEY = "K88canary93ab7f"
LINES = ["Bergmann & Söhne GmbH", "Jürgen Möller", "Mobil +49 151 23456789", "juergen.moeller@bergmann-soehne.de"]
PYTHON = os.environ.get("OCR_PYTHON", "")


def read_well(lines: list[str] = LINES) -> tuple[int, Any]:
    shown = [{"LineText": text, "MaxHeight": 20, "Words": []} for text in lines]
    result = {"TextOverlay": {"Lines": shown}, "ParsedText": "\r\n".join(lines), "FileParseExitCode": 1}
    return 200, {"ParsedResults": [result], "OCRExitCode": 1, "IsErroredOnProcessing": False}


@dataclass
class Space:
    """A stand-in for OCR.space."""

    url: str = ""
    asked: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: Callable[[], tuple[int, Any]] = read_well


@pytest.fixture
def space(settings: Any) -> Iterator[Space]:
    found = Space()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status, answer = found.answers()
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return

    with serving(Handler) as found.url:
        settings.VENDOR_BASE_URLS = {"ocr-space": found.url}
        yield found


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    served = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    served.daemon_threads = True
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_address[1]}"
    served.shutdown()
    served.server_close()
    thread.join(5)


def connect(cast: Cast, **values: Any) -> dict[str, Any]:
    answer = cast.session.post("/apps/ocr", {"name": "ocr-space", "key": KEY, **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def connected(cast: Cast, space: Space) -> dict[str, Any]:
    """Connect an app, and forget that its key was tried."""
    made = connect(cast)
    space.asked.clear()
    return made


def picture(cast: Cast, content: bytes = b"", name: str = "card.png") -> str:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content or CARD.read_bytes()))
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def scan(cast: Cast, **values: Any) -> dict[str, Any]:
    """Scan a card, and return what came of it."""
    made = cast.session.post("/contact/scan", {"fileId": picture(cast), **values})
    assert (made.status, made.data["status"]) == (201, "queued"), made.body
    work("card-scan")
    return dict(cast.key.get(f"/contact/scan/{made.data['_id']}").data)


def test_an_app_is_connected_tested_changed_and_deleted(cast: Cast, outsiders: Cast, space: Space) -> None:
    for body, status, named in (
        ({"name": "abbyy", "key": KEY}, 400, "name: one of local, ocr-space"),
        ({"name": "local"}, 400, "name: ask the operator of this service to install"),
        ({"name": "ocr-space"}, 400, "key: enter the key from OCR.space"),
        ({"name": "ocr-space", "key": KEY, "confidence": 1.5}, 400, "confidence"),
    ):
        if body["name"] == "local" and not LocalOcr.missing():
            continue
        refused = cast.key.post("/apps/ocr", body)
        assert (refused.status, refused.body["warning"][: len(named)]) == (status, named)
    made = connect(cast)
    place = f"/apps/ocr/{made['_id']}"
    known = ("name", "maskedKey", "confidence", "isActive", "isDefault", "lastError")
    assert [made[name] for name in known] == ["ocr-space", "…ab7f", 0.9, True, True, ""]
    space.answers = lambda: read_well(["HELLO"])
    tested = cast.key.post(f"{place}/test").data
    assert (tested["ok"], tested["text"]) == (True, "HELLO")
    space.answers = lambda: (403, f"bad key {KEY}".encode())
    failed = cast.key.post(f"{place}/test").data
    assert (failed["ok"], failed["detail"]) == (False, "OCR.space refuses the key, or its allowance is used up.")
    shown = cast.key.get(place)
    assert shown.data["lastError"] == failed["detail"]
    assert cast.key.put(place, {"confidence": 0.5, "key": ""}).data["confidence"] == 0.5
    assert KEY not in json.dumps([made, shown.body, failed])
    assert outsiders.key.get(place).body["message"] == "Card reader not found."
    with cast.scope():
        assert Ocr.objects.get().key == KEY
    assert cast.key.delete("/apps/ocr", {"ids": [made["_id"]]}).data == {"deletedCount": 1}
    assert cast.key.delete("/apps/ocr", {"ids": [made["_id"]]}).status == 404


def test_a_key_is_tried_before_it_is_connected(cast: Cast, space: Space) -> None:
    body = {"name": "ocr-space", "key": KEY}
    space.answers = lambda: (403, b"no")
    refused = cast.key.post("/apps/ocr", body)
    assert (refused.status, refused.body["name"]) == (400, "InvalidCredentials_400")
    assert refused.body["warning"] == "key: OCR.space refuses the key, or its allowance is used up."
    assert cast.key.get("/apps/ocr").data == []
    space.answers = lambda: (503, b"no")
    made = cast.key.post("/apps/ocr", body)
    assert (made.status, made.body["warning"]) == (201, "saved, but not connected: OCR.space is busy (503).")
    assert made.data["lastError"] == "OCR.space is busy (503)."
    space.answers = read_well
    place = f"/apps/ocr/{made.data['_id']}"
    changed = cast.key.put(place, {"key": KEY + "2"})
    assert (changed.status, changed.data["lastError"], changed.body.get("warning")) == (200, "", None)
    space.answers = lambda: (401, b"no")
    assert cast.key.put(place, {"key": KEY + "3"}).body["name"] == "InvalidCredentials_400"
    with cast.scope():
        assert Ocr.objects.get().key == KEY + "2"


def test_a_card_becomes_values_that_a_person_saves(cast: Cast, outsiders: Cast, space: Space) -> None:
    with cast.scope():
        CustomField.objects.create(
            panel="contact", name="Company", unique_field_id="firm", field_type="text", value_type="string"
        )
    refused = cast.key.post("/contact/scan", {"fileId": picture(cast)})
    assert (refused.status, refused.body["message"]) == (404, "Card reader not found.")
    app = connected(cast, space)
    found = scan(cast)
    assert found["formData"] == {
        "name": "Jürgen Möller",
        "email": "juergen.moeller@bergmann-soehne.de",
        "countryCode": "+49",
        "number": "15123456789",
        "firm": "Bergmann & Söhne GmbH",
    }
    fields = {one["field"]: one for one in found["fields"]}
    assert fields["phone"] == {
        "field": "phone",
        "value": "+4915123456789",
        "confidence": 0.95,
        "read": "+4915123456789",
        "note": "",
    }
    assert fields["site"]["note"] == "Not found on the card."
    ((headers, body),) = space.asked
    assert (headers["apikey"], CARD.read_bytes() in body, b"card.png" in body) == (KEY, True, True)
    assert cast.key.get("/contact").data == [], "nothing is saved by itself"
    made = cast.key.post("/contact", {"formData": found["formData"]})
    assert made.status in (200, 201), made.body

    cast.key.put(f"/apps/ocr/{app['_id']}", {"confidence": 0.96})
    doubted = scan(cast, ocr=app["_id"])
    assert doubted["formData"] == {}
    name = next(one for one in doubted["fields"] if one["field"] == "name")
    assert (name["value"], name["note"]) == ("", "Read as Jürgen Möller, but only 95% sure.")

    assert outsiders.key.get(f"/contact/scan/{found['_id']}").status == 404
    assert outsiders.key.post("/contact/scan", {"fileId": picture(cast)}).status == 404
    connect(outsiders)
    assert outsiders.key.post("/contact/scan", {"fileId": picture(cast)}).body["message"] == "File not found."
    assert cast.narrow_session.post("/contact/scan", {"fileId": picture(cast)}).status == 403
    csv = picture(cast, b"a,b\n1,2\n", "card.csv")
    assert cast.key.post("/contact/scan", {"fileId": csv}).body["message"] == "Files of this type are not supported."

    with cast.scope():
        CustomField.objects.create(
            panel="contact", name="Card", unique_field_id="card", field_type="file", value_type="file"
        )
    cast.key.put(f"/contact/{made.data['_id']}", {"formData": {"card": csv}})
    attached = cast.key.get(f"/contact/{made.data['_id']}/access-request").data["sections"]["files"]
    assert [(row["_id"], row["name"], "path" in row) for row in attached] == [(csv, "card.csv", False)]
    told = cast.key.get(f"/contact/{made.data['_id']}/access-request").data["sections"]["cardScans"]
    assert {row["_id"] for row in told} == {found["_id"], doubted["_id"]}
    erased = cast.key.post(f"/contact/{made.data['_id']}/erase", {"confirm": "juergen.moeller@bergmann-soehne.de"})
    assert (erased.status, erased.data["counts"]["cardScans"]) == (200, 2)
    with cast.scope():
        assert not CardScan.objects.exists()
        assert not File.objects.filter(pk=found["file"]["_id"], is_deleted=False).exists()


@pytest.mark.parametrize(
    ("answer", "error", "tries"),
    [
        ((500, b"oops"), "OCR.space is busy (500).", 3),
        ((200, b"<html>"), "The answer of OCR.space cannot be read.", 3),
        ((200, b"x" * (3 << 20)), "The answer is longer than 2,097,152 bytes.", 3),
        ((200, {"IsErroredOnProcessing": True, "ErrorMessage": ["no"]}), "OCR.space cannot read this picture", 1),
        ((200, {"ParsedResults": [{"ParsedText": 5}]}), "The answer of OCR.space cannot be read.", 3),
    ],
    ids=("500", "html", "large", "refused", "wrong type"),
)
def test_a_reader_that_fails_is_asked_again_and_told_of(
    cast: Cast, space: Space, answer: tuple[int, Any], error: str, tries: int
) -> None:
    connected(cast, space)
    space.answers = lambda: answer
    made = cast.key.post("/contact/scan", {"fileId": picture(cast)}).data
    for minutes in range(4):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            work("card-scan")
    found = cast.key.get(f"/contact/scan/{made['_id']}").data
    assert (found["status"], found["error"][: len(error)], found["formData"]) == ("failed", error, {})
    assert len(space.asked) == tries


def test_a_scan_whose_worker_dies_is_read_by_the_next(
    cast: Cast, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(cast)
    made = cast.key.post("/contact/scan", {"fileId": picture(cast)}).data

    def dead() -> tuple[int, Any]:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr("outreach.connections.ocr.worker.read_card", lambda *_, **__: dead())
        with pytest.raises(SystemExit):
            work("card-scan")
    release_lock()
    with unscoped(reason="test: another worker looks after the dead"):
        sweep()
    work("card-scan")
    found = cast.key.get(f"/contact/scan/{made['_id']}").data
    assert (found["status"], found["formData"]["name"]) == ("completed", "Jürgen Möller")
    cast.key.delete("/file", {"ids": [found["file"]["_id"]]})
    cast.key.delete("/file/recycle-bin")
    with unscoped(reason="test: the periodic task"):
        assert delete_scans_of_deleted_files() is False
        assert not CardScan.objects.exists()
    assert WORK["card-scan"].due() is False


def test_the_sample_is_a_picture() -> None:
    with sample_picture() as path:
        content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(png([b"\xff\x00"])) < 100


@pytest.mark.skipif(bool(LocalOcr.missing()) and not PYTHON, reason="requirements-ocr.txt is not installed")
def test_this_machine_reads_a_picture_of_a_card(cast: Cast, settings: Any) -> None:
    settings.OCR_PYTHON = PYTHON
    app = cast.key.post("/apps/ocr", {"name": "local"})
    assert app.status == 201, app.body
    found = scan(cast)
    assert found["formData"] == {
        "name": "Jürgen Möller",
        "email": "juergen.moeller@bergmann-soehne.de",
        "countryCode": "+49",
        "number": "15123456789",
    }
    assert {one["field"]: one["value"] for one in found["fields"]}["company"] == "Bergmann & Söhne GmbH"
    broken = cast.key.post("/contact/scan", {"fileId": picture(cast, b"\x89PNG\r\n\x1a\n" + bytes(300), "bad.png")})
    work("card-scan")
    failed = cast.key.get(f"/contact/scan/{broken.data['_id']}").data
    assert failed["error"] == "The picture cannot be read: it is damaged, or too large."
