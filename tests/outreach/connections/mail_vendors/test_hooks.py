"""POST /hooks/mail/…: genuine events are stored once and applied in any order; all others have no effect."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from django.test import Client

from outreach.connections.mail_vendors.hooks import hook_secret
from outreach.connections.mail_vendors.vendors import ses
from outreach.connections.mail_vendors.vendors.postmark import Postmark
from outreach.connections.mail_vendors.webhooks import ProviderEvent
from outreach.messaging.mail_events import services
from outreach.models import MailApp, MailEvent, MailHookToken, SendJob, Suppression
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.mail_vendors import VendorServer
from tests.outreach.helpers import work

NOW = int(time.time()) - 86_400
NOW_TEXT = datetime.fromtimestamp(NOW, tz=UTC).isoformat().replace("+00:00", "Z")
PROVIDER_ID = "m-1"
"""The vendor's id of the message, which its bounces name."""
TOPIC = "arn:aws:sns:eu-central-1:123456789012:mail"
EC_KEY = ec.generate_private_key(ec.SECP256R1())
RSA_KEY = rsa.generate_private_key(65537, 2048)


def _pem(key: Any) -> str:
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return "".join(key.public_key().public_bytes(*form).decode().splitlines()[1:-1])


def _mac(key: bytes, *parts: bytes) -> hmac.HMAC:
    return hmac.new(key, b"".join(parts), hashlib.sha256)


@dataclass
class Sent:
    """A webhook as a vendor sends it."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


Bounce = Callable[[MailApp, str, float], Sent]
"""(app, message, age in seconds) -> a bounce for good, signed as the vendor signs."""


def _basic(app: MailApp) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(hook_secret(app.pk, app.hook_salt).encode()).decode()}


def _brevo(app: MailApp, job: str, age: float) -> Sent:
    custom = json.dumps({"job": job})
    body = {"event": "hard_bounce", "email": "a@example.org", "message-id": "<x>", "X-Mailin-custom": custom}
    return Sent(json.dumps({**body, "ts_epoch": NOW * 1000}).encode(), _basic(app))


def _postmark(app: MailApp, job: str, age: float) -> Sent:
    body = {"RecordType": "Bounce", "Type": "HardBounce", "TypeCode": 1, "ID": 7, "MessageID": PROVIDER_ID}
    body |= {"Email": "a@example.org", "BouncedAt": NOW_TEXT, "Metadata": {"job": job}}
    return Sent(json.dumps(body).encode(), _basic(app))


def _sparkpost(app: MailApp, job: str, age: float) -> Sent:
    event = {"type": "bounce", "bounce_class": "10", "rcpt_meta": {"job": job}, "timestamp": str(NOW)}
    event |= {"event_id": "1", "transmission_id": "m-1", "rcpt_to": "a@example.org"}
    return Sent(json.dumps([{"msys": {"message_event": event}}]).encode(), _basic(app))


def _resend(app: MailApp, job: str, age: float) -> Sent:
    headers = [{"name": "X-Metadata", "value": json.dumps({"job": job})}]
    data = {"email_id": "m-1", "to": ["a@example.org"], "headers": headers, "bounce": {"type": "Permanent"}}
    data |= {"created_at": NOW_TEXT, "subject": "x", "from": "me@example.com"}
    event = {"type": "email.bounced", "created_at": NOW_TEXT, "data": data}
    body, at = json.dumps(event).encode(), str(int(time.time() - age))
    mac = _mac(base64.b64decode(app.signing_key.removeprefix("whsec_")), f"msg_1.{at}.".encode(), body).digest()
    return Sent(
        body, {"svix-id": "msg_1", "svix-timestamp": at, "svix-signature": f"v1,{base64.b64encode(mac).decode()}"}
    )


def _mailersend(app: MailApp, job: str, age: float) -> Sent:
    email = {
        "message": {"id": "m-1"},
        "recipient": {"email": "a@example.org"},
        "headers": {"Message-ID": f"<{job}@example.com>"},
    }
    event = {
        "type": "activity.hard_bounced",
        "data": {"id": "1", "type": "hard_bounced", "created_at": NOW_TEXT, "email": email},
    }
    body = json.dumps(event).encode()
    return Sent(body, {"Signature": _mac(app.signing_key.encode(), body).hexdigest()})


def _sendgrid(app: MailApp, job: str, age: float) -> Sent:
    event = {
        "event": "bounce",
        "type": "bounce",
        "email": "a@example.org",
        "job": job,
        "timestamp": NOW,
        "sg_event_id": "1",
    }
    body, at = json.dumps([event]).encode(), str(int(time.time() - age))
    signature = base64.b64encode(EC_KEY.sign(at.encode() + body, ec.ECDSA(hashes.SHA256()))).decode()
    name = "X-Twilio-Email-Event-Webhook"
    return Sent(body, {f"{name}-Signature": signature, f"{name}-Timestamp": at})


def _mailgun(app: MailApp, job: str, age: float) -> Sent:
    at = str(int(time.time() - age))
    mac = _mac(app.signing_key.encode(), f"{at}token".encode()).hexdigest()
    data = {
        "event": "failed",
        "severity": "permanent",
        "reason": "bounce",
        "recipient": "a@example.org",
        "timestamp": NOW,
    }
    data |= {"user-variables": {"job": job}, "message": {"headers": {"message-id": "x@y"}}, "id": "1"}
    body = {"signature": {"timestamp": at, "token": "token", "signature": mac}, "event-data": data}
    return Sent(json.dumps(body).encode())


def _ses(app: MailApp, job: str, age: float) -> Sent:
    at = datetime.now(UTC) - timedelta(seconds=age)
    mail = {"messageId": "m-1", "headers": [{"name": "X-Metadata", "value": json.dumps({"job": job})}]}
    bounce = {
        "bounceType": "Permanent",
        "bounceSubType": "General",
        "bouncedRecipients": [{"emailAddress": "a@example.org"}],
    }
    message = {
        "Type": "Notification",
        "MessageId": "sns-1",
        "TopicArn": TOPIC,
        "Message": json.dumps({"eventType": "Bounce", "mail": mail, "bounce": bounce}),
        "Timestamp": at.isoformat().replace("+00:00", "Z"),
        "SignatureVersion": "2",
        "SigningCertURL": "https://sns.eu-central-1.amazonaws.com/key.pem",
    }
    names = ("Message", "MessageId", "Timestamp", "TopicArn", "Type")
    signed = "".join(f"{name}\n{message[name]}\n" for name in names).encode()
    message["Signature"] = base64.b64encode(RSA_KEY.sign(signed, padding.PKCS1v15(), hashes.SHA256())).decode()
    return Sent(json.dumps(message).encode(), {"X-Amz-Sns-Message-Type": "Notification"})


HOOKS: dict[str, tuple[Bounce, str]] = {
    "brevo": (_brevo, ""),
    "postmark": (_postmark, ""),
    "sparkpost": (_sparkpost, ""),
    "resend": (_resend, "whsec_" + base64.b64encode(b"secret").decode()),
    "mailersend": (_mailersend, "secret"),
    "sendgrid": (_sendgrid, _pem(EC_KEY)),
    "mailgun": (_mailgun, "secret"),
    "ses": (_ses, TOPIC),
}
"""Vendor -> its bounce, and the key that it signs with."""
TIMED = ("resend", "sendgrid", "mailgun", "ses")


@pytest.fixture(autouse=True)
def _certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ses, "sns_key", lambda url: RSA_KEY.public_key())


def _sent_by(vendors: VendorServer, vendor: str, key: str = "") -> tuple[MailApp, SendJob]:
    app = vendors.app(vendor, signing_key=key, verified=True)
    app.save()
    contact = ContactFactory(email="a@example.org")
    job = SendJob.objects.create(
        contact=contact, mail_app=app, channel="mailvendor-a", status="sent", recipient="a@example.org"
    )
    # Webhooks of a vendor without metadata name the message by the vendor's own id alone.
    id = "" if app.spec.metadata else PROVIDER_ID
    SendJob.objects.filter(pk=job.pk).update(message_id=f"<{job.pk}@example.com>", provider_message_id=id)
    return app, job


def _post(app: MailApp, sent: Sent, path: str | None = None) -> int:
    address = path or urlsplit(app.spec.hook_url(app.pk, app.hook_salt)).path
    return Client().post(address, sent.body, content_type="application/json", headers=sent.headers).status_code


@pytest.mark.parametrize("vendor", HOOKS)
def test_a_bounce_is_applied_once_and_forged_ones_never(cast: Cast, vendors: VendorServer, vendor: str) -> None:
    make, key = HOOKS[vendor]
    with cast.scope():
        app, job = _sent_by(vendors, vendor, key)
        genuine = make(app, job.pk, 0)
        id = job.pk.encode()
        # A vendor without metadata has no id of ours in its body.
        other_body = genuine.body.replace(id, b"0" * 24) if id in genuine.body else genuine.body + b" "
        forged = [
            Sent(genuine.body, {}),
            Sent(other_body, genuine.headers),
            Sent(b"{}", {**genuine.headers, "Authorization": "Basic eDp5"}),
        ]
        if app.spec.hook_password:
            forged.pop(1)  # the password alone shows who it is
        if vendor == "mailgun":
            forged = forged[2:]  # signs its token alone, whatever else stands in the body
        if vendor == "ses":
            forged = forged[1:]
        if vendor in TIMED:
            forged.append(make(app, job.pk, 40_000))
        assert {_post(app, one) for one in forged} <= {401, 403}
        other = urlsplit(app.spec.hook_url(app.pk, app.hook_salt)).path[:-1] + "!"
        assert _post(app, genuine, other) == _post(app, genuine, f"/hooks/mail/{vendor}/{'0' * 24}/x") == 404
        work("mail-events")
        assert (MailEvent.objects.count(), Suppression.objects.count()) == (0, 0)
        assert [_post(app, one) for one in (genuine, make(app, job.pk, 0), genuine)] == [200, 200, 200]
        work("mail-events")
        event = MailEvent.objects.get() if vendor != "ses" else MailEvent.objects.first()
        assert event is not None
        assert (event.kind, event.hard, event.send_job_id) == ("bounced", True, job.pk)
        job.refresh_from_db()
        assert (job.status, job.reason, job.delivery_status) == ("failed", "came_back", "bounced")
        assert list(Suppression.objects.values_list("email", "reason")) == [("a@example.org", "bounced")]
    [row] = cast.key.get("/logs/mailvendor-a").data
    assert (row["deliveryStatus"], row["bouncedAt"] is not None) == ("bounced", True)


def test_a_bounce_without_metadata_is_found_by_the_id_of_the_vendor(
    cast: Cast, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Postmark, "metadata", False)
    with cast.scope():
        app, job = _sent_by(vendors, "postmark")
        bounces = []
        for name in (PROVIDER_ID, "m-2"):
            body = json.loads(_postmark(app, job.pk, 0).body) | {"MessageID": name, "Metadata": {}, "ID": name}
            bounces.append(Sent(json.dumps(body).encode(), _basic(app)))
        assert [_post(app, bounce) for bounce in bounces] == [200, 200]
        work("mail-events")
        events = dict(MailEvent.objects.values_list("provider_message_id", "send_job_id"))
        assert events == {PROVIDER_ID: job.pk, "m-2": None}
        job.refresh_from_db()
        assert job.delivery_status == "bounced"


def test_a_token_vouches_for_the_events_that_it_came_with_first(cast: Cast, vendors: VendorServer) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "mailgun", "secret")
        victim = SendJob.objects.create(
            contact=ContactFactory(email="b@example.org"), mail_app=app, channel="mailvendor-a", status="sent"
        )
        genuine = _mailgun(app, job.pk, 0)
        told = json.loads(genuine.body)
        again = Sent(json.dumps(dict(reversed(told.items())), indent=1).encode())  # the same, written otherwise
        told["event-data"]["user-variables"]["job"] = victim.pk
        other = Sent(json.dumps(told).encode())
        assert [_post(app, one) for one in (genuine, other, again, genuine, other)] == [200, 403, 200, 200, 403]
        work("mail-events")
        assert [event.send_job_id for event in MailEvent.objects.all()] == [job.pk]
        assert _post(app, _mailgun(app, job.pk, 8 * 3600)) == 200  # tried again for so long
        MailHookToken.objects.update(created_at=datetime.now(UTC) - timedelta(days=3))
        services.forget_old()
        assert (MailHookToken.objects.count(), MailEvent.objects.count()) == (0, 1)


def test_events_older_than_what_is_kept_are_not_taken_again(cast: Cast, vendors: VendorServer) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "brevo")
        at = datetime.now(UTC) - services.KEPT
        old, recent = (
            ProviderEvent("opened", at + timedelta(minutes=minutes), job=job.pk, recipient="a@example.org")
            for minutes in (-1, 1)
        )
        services.store_events(app, [old, recent])
        assert [event.happened_at for event in MailEvent.objects.all()] == [recent.happened_at]


@pytest.mark.parametrize(
    ("kind", "said", "hard"),
    [
        ("HardBounce", "smtp;550 5.7.1 Client host [192.0.2.7] blocked using zen.spamhaus.org", False),
        ("HardBounce", "smtp;550 5.1.1 sender rejected: spam policy", False),
        ("HardBounce", "smtp;552 5.2.2 mailbox full", False),
        ("SoftBounce", "smtp;550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", True),
        ("SoftBounce", "smtp;550 5.5.0 Requested action not taken: mailbox unavailable", True),
        ("SoftBounce", "smtp;451 4.3.0 try again later", False),
        ("HardBounce", "", True),
        ("HardBounce", "smtp;554 Transaction failed", True),
    ],
)
def test_the_words_of_the_recipients_server_decide_before_the_vendors_class(
    cast: Cast, vendors: VendorServer, kind: str, said: str, hard: bool
) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "postmark")
        told = json.loads(_postmark(app, job.pk, 0).body) | {"Type": kind, "Details": said}
        assert _post(app, Sent(json.dumps(told).encode(), _basic(app))) == 200
        work("mail-events")
        assert MailEvent.objects.get().hard is hard
        assert Suppression.objects.exists() is hard
        job.refresh_from_db()
        assert (job.status, job.delivery_status) == ("failed" if hard else "sent", "bounced")


def test_without_the_vendors_key_nothing_is_taken(cast: Cast, vendors: VendorServer) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "mailersend")
        body = b"{}"
        assert _post(app, Sent(body, {"Signature": _mac(b"", body).hexdigest()})) == 403
        assert not MailEvent.objects.exists()


def _told(app: MailApp, job: SendJob, kind: str, second: int) -> ProviderEvent:
    at = datetime.fromtimestamp(NOW + second, tz=UTC)
    return ProviderEvent(kind, at, job=job.pk, recipient="A@example.org", hard=False)


def test_any_order_gives_the_same_and_doubt_is_resolved(cast: Cast, vendors: VendorServer) -> None:
    kinds = ("deferred", "delivered", "opened")
    with cast.scope():
        app, job = _sent_by(vendors, "brevo")
        for order in permutations(kinds):
            SendJob.objects.filter(pk=job.pk).update(
                status="unknown", delivery_status="", delivery={}, open_count=0, sending_at=datetime.now(UTC)
            )
            MailEvent.objects.all().delete()
            for kind in order:
                for _ in range(3):
                    services.store_events(app, [_told(app, job, kind, kinds.index(kind))])
                services.apply_batch()
            job.refresh_from_db()
            assert (job.status, job.delivery_status, job.open_count) == ("sent", "opened", 1)
            assert set(job.delivery) == set(kinds)


def test_a_worker_that_dies_in_the_middle_applies_nothing_or_all(
    cast: Cast, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "brevo")
        services.store_events(app, [_told(app, job, "opened", 1), _told(app, job, "complained", 2)])
        with monkeypatch.context() as broken:
            broken.setattr(services, "_suppress", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
            with pytest.raises(KeyboardInterrupt):
                services.apply_batch()
        job.refresh_from_db()
        assert (job.open_count, MailEvent.objects.filter(applied_at=None).count()) == (0, 2)
        assert services.apply_batch() == 2
        assert services.apply_batch() == 0
        job.refresh_from_db()
        assert (job.open_count, job.delivery_status) == (1, "complained")
        assert Suppression.objects.get().reason == "complained"


def test_an_unsubscription_is_the_contacts(cast: Cast, vendors: VendorServer) -> None:
    with cast.scope():
        app, job = _sent_by(vendors, "brevo")
        services.store_events(app, [_told(app, job, "unsubscribed", 1)])
        services.apply_batch()
        job.contact.refresh_from_db()
        assert job.contact.unsubscribed_at is not None
        assert Suppression.objects.get().reason == "unsubscribed"


def test_a_topic_is_confirmed_by_amazon_alone(
    cast: Cast, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(services, "send_request", lambda method, url, **_: asked.append(url))
    with cast.scope():
        app, _ = _sent_by(vendors, "ses", TOPIC)
        for url in ("https://sns.eu-central-1.amazonaws.com/?Action=Confirm", "https://sns.evil.example/x"):
            told = ProviderEvent("confirm", datetime.now(UTC), provider_message_id=url, detail=url)
            services.store_events(app, [told])
        work("mail-events")
        assert asked == ["https://sns.eu-central-1.amazonaws.com/?Action=Confirm"]
        assert not MailEvent.objects.filter(applied_at=None).exists()
