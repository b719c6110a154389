"""Each vendor and each fault: the right outcome, and one request."""

from __future__ import annotations

import base64
import datetime as dt
import json
from typing import Any
from urllib.parse import unquote

import pytest

from outreach.connections.mail_vendors import backends
from outreach.connections.mail_vendors.registry import DEFAULT_LETTERS, VENDORS
from outreach.connections.mail_vendors.vendors import gmail
from outreach.connections.smtp.message import OutgoingMail
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Uncertain
from outreach.models import MailApp
from tests.kit.mail_vendors import KEY, SECRET, TO, Fault, VendorServer
from tests.kit.mail_vendors import VENDORS as STAND_INS

SILENT = Fault(200, {}, seconds=0.9)
CUT = Fault(cut=True)
FAULTS: dict[str, tuple[Fault, type[Any], str]] = {
    "bad key": (Fault(401, {"message": f"Key {KEY} not found"}), Rejected, "auth"),
    "not allowed": (Fault(403, {"message": "Forbidden"}), Rejected, "auth"),
    "malformed": (Fault(400, {"message": "This cannot be done.", "ErrorCode": 10}), Rejected, "final"),
    "unprocessable": (Fault(422, {"Message": "Sender not verified", "ErrorCode": 400}), Rejected, "final"),
    "too many": (Fault(429, {"message": "Slow down"}, {"Retry-After": "7"}), Rejected, "limit"),
    "broken": (Fault(500, {"message": "Oops"}), Uncertain, ""),
    "gateway": (Fault(502, "<html>Bad gateway</html>"), Uncertain, ""),
    "away": (Fault(503, ""), Uncertain, ""),
    "late": (Fault(504, ""), Uncertain, ""),
    "no JSON": (Fault(200, "well received"), Uncertain, ""),
    "silent": (SILENT, Uncertain, ""),
    "cut": (CUT, Uncertain, ""),
}


def _mail(**values: Any) -> OutgoingMail:
    known = {"from_name": "Zoë", "from_email": "me@example.com", "to_email": TO, "subject": "Grüße", "text": "Hello"}
    known |= {"unsubscribe_url": "https://example.com/u/1", "date": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}
    return OutgoingMail(**{"id": "a" * 24, **known, **values})


def _send(vendors: VendorServer, vendor: str, **values: Any) -> tuple[Outcome, int]:
    intents: list[int] = []
    app = vendors.app(vendor, id="b" * 24, company_id="c" * 24, **values)
    session = app.spec.open_session(app)
    outcome = session.deliver(_mail(), lambda: intents.append(len(vendors.sent)))
    assert intents == [0]  # committed once, before the first request
    return outcome, len(vendors.sent)


def _no_second_token(app: MailApp, instead_of: str = "") -> str:
    if instead_of:
        raise SmtpError("auth", "Log in again.", temporary=False)
    return app.access_token


def test_every_vendor_has_a_stand_in_and_every_fault_is_tried() -> None:
    assert set(STAND_INS) == set(VENDORS)
    assert set(DEFAULT_LETTERS.values()) <= set(VENDORS)
    assert (len(FAULTS), len(DEFAULT_LETTERS)) == (12, 8)


@pytest.mark.parametrize("vendor", STAND_INS)
class TestVendor:
    def test_takes_a_message(self, vendors: VendorServer, vendor: str) -> None:
        outcome, posts = _send(vendors.be(vendor), vendor)
        assert isinstance(outcome, Sent), outcome
        assert posts == 1
        said = vendors.sent[0]
        raw = said.text
        if vendor == "ses":
            assert KEY in said.headers["authorization"]
            raw = base64.b64decode(json.loads(said.text)["Content"]["Raw"]["Data"]).decode()
        if vendor == "gmail":
            raw = vendors.google.mails[0].decode()
        assert "aaaaaaaaaaaaaaaaaaaaaaaa@example.com" in unquote(raw)
        assert "List-Unsubscribe" in raw
        assert ("idempotency-key" in said.headers) == (VENDORS[vendor].idempotency == "header")
        assert ('"idempotencyKey": "' in raw) == (VENDORS[vendor].idempotency == "message")
        if vendor not in ("unisender-go", "sendgrid"):  # anymail gives them ids of its own
            assert outcome.provider_id == "vendor-id-1"

    @pytest.mark.parametrize("fault", FAULTS)
    def test_fault(self, vendors: VendorServer, vendor: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
        said, kind, stage = FAULTS[fault]
        if (vendor, fault) == ("gmail", "bad key"):
            monkeypatch.setattr(gmail, "access_token", _no_second_token)
        if fault == "silent":
            monkeypatch.setattr(backends, "SECONDS", 0.6)  # a busy machine takes 0.2 s to connect
        outcome, posts = _send(vendors.be(vendor, said), vendor)
        if vendor == "sendgrid" and fault == "no JSON":
            assert isinstance(outcome, Sent)  # it never answers with words
        else:
            assert isinstance(outcome, kind), outcome
        assert posts == 1
        assert KEY not in repr(outcome)
        assert SECRET not in repr(outcome)
        if isinstance(outcome, Rejected):
            assert outcome.stage == stage
            assert outcome.temporary == (stage == "limit")
        if stage == "limit" and vendor != "ses":
            assert outcome.retry_after == 7  # type: ignore[union-attr]

    def test_that_is_not_there_was_certainly_sent_nothing(
        self, vendors: VendorServer, vendor: str, settings: Any
    ) -> None:
        settings.VENDOR_BASE_URLS = {vendor: "http://127.0.0.1:1"}
        outcome, _ = _send(vendors.be(vendor), vendor)
        assert isinstance(outcome, Rejected), outcome
        assert (outcome.stage, outcome.temporary, outcome.about_sender) == ("connect", True, True)
        settings.OUTBOUND_PRIVATE_HOSTS = []
        settings.VENDOR_BASE_URLS = {vendor: vendors.url}
        outcome, posts = _send(vendors, vendor)
        assert isinstance(outcome, Rejected), outcome
        assert (outcome.stage, posts) == ("connect", 0)  # the guard refused
