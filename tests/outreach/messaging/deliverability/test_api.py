"""A sender's deliverability by the API, its key, and the daily checks."""

from __future__ import annotations

import re
from datetime import timedelta
from email import message_from_bytes
from typing import Any

import dkim
import pytest
from django.utils import timezone

from accounts.models import Mail
from core.jobs import WORK
from core.jobs.leases import claim
from core.jobs.sweeper import sweep
from core.tenancy import unscoped
from outreach.messaging.deliverability import lookups, services
from outreach.models import DkimKey, SenderCheck, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.dns_server import Zone
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.html import html_of
from tests.outreach.helpers import Post, planned, work
from tests.web.helpers import at, enter, text_of, toast_of

DOMAIN = "acme.example"


def sender(cast: Cast, **values: Any) -> Smtp:
    with cast.scope():
        return SmtpFactory(from_email=f"dana@{DOMAIN}", host="192.0.2.7", **values)


def publish(zone: Zone) -> None:
    zone.records[DOMAIN, "MX"] = ["10 mx.acme.example."]
    zone.text(DOMAIN, "v=spf1 ip4:192.0.2.7 ~all")
    zone.text(f"_dmarc.{DOMAIN}", "v=DMARC1; p=reject")


def lights(data: Any) -> dict[str, str]:
    return {one["name"]: one["light"] for one in data["checks"]}


def test_a_check_stores_what_it_finds_and_says_what_to_publish(cast: Cast, zone: Zone) -> None:
    place = f"/apps/smtp/{sender(cast).pk}/deliverability"
    assert cast.key.get(place).data == {
        "domain": DOMAIN,
        "light": None,
        "checkedAt": None,
        "checks": [],
        "dkim": None,
    }
    zone.text(DOMAIN, "v=spf1\x00 -all", "x" * 9000)
    answer = cast.session.post(place)
    assert (answer.status, answer.body["message"], answer.data["light"]) == (200, "Domain checked.", "red")
    assert lights(answer.data)["dmarc"] == "red"
    assert {"name": f"_dmarc.{DOMAIN}", "type": "TXT", "value": "v=DMARC1; p=none"} in [
        one["record"] for one in answer.data["checks"]
    ]
    assert cast.key.get(place).data == answer.data
    publish(zone)
    assert lights(cast.key.post(place).data) == {
        "mx": "green",
        "spf": "green",
        "dkim": "amber",
        "dmarc": "green",
        "alignment": "amber",
    }
    with cast.scope():
        assert SenderCheck.objects.count() == 1
        Smtp.objects.update(from_email="dana@other.example")
    assert cast.key.get(place).data["light"] is None


def test_one_check_of_a_company_at_a_time(cast: Cast, outsiders: Cast, zone: Zone) -> None:
    place = f"/apps/smtp/{sender(cast).pk}/deliverability"
    with cast.scope(), services.connection_test_slot():
        assert cast.key.post(place).status == 429
    for path in (place, place.replace("deliverability", "dkim")):
        assert outsiders.key.post(path).body["message"] == "Email sender not found."


def test_a_key_signs_once_its_record_is_found(cast: Cast, zone: Zone, post: Post) -> None:
    with cast.scope():
        Smtp.objects.update(from_email=f"dana@{DOMAIN}")
    place = f"/apps/smtp/{post.smtp.pk}"
    made = cast.session.post(f"{place}/dkim", {})
    assert (made.status, made.data["status"], made.data["domain"]) == (201, "pending", DOMAIN)
    assert "private" not in str(made.body).lower()
    assert (
        cast.key.post(f"{place}/dkim", {"algorithm": "ed25519"}).body["message"]
        == "This domain already has a DKIM key."
    )
    planned(cast, 1)
    work("send")
    zone.text(made.data["record"]["name"], made.data["record"]["value"])
    checked = cast.key.post(f"{place}/deliverability").data
    assert (lights(checked)["dkim"], checked["dkim"]["status"]) == ("green", "active")
    planned(cast, 1)
    work("send")
    unsigned, signed = post.server.received
    assert message_from_bytes(unsigned)["DKIM-Signature"] is None
    record = made.data["record"]["value"].encode()
    assert dkim.verify(signed, dnsfunc=lambda name, timeout=5: record)
    del zone.records[made.data["record"]["name"], "TXT"]
    lost = cast.key.post(f"{place}/deliverability").data
    assert (lights(lost)["dkim"], lost["dkim"]["status"]) == ("red", "lost")
    assert cast.key.delete(f"{place}/dkim").status == 200
    assert cast.key.delete(f"{place}/dkim").status == 404
    assert cast.key.get(f"{place}/deliverability").data["dkim"] is None


@pytest.fixture
def daily(cast: Cast, zone: Zone, settings: Any) -> Smtp:
    """A sender with its first check due."""
    settings.DEMO = False
    smtp = sender(cast)
    sender(cast, is_active=False)
    with unscoped(reason="test: as the periodic task runs"):
        assert not services.add_new_senders()
        assert not services.add_new_senders()
        assert list(SenderCheck.objects.values_list("smtp", "status")) == [(smtp.pk, "waiting")]
    return smtp


def due_again(cast: Cast) -> None:
    with cast.scope():
        SenderCheck.objects.update(due_at=timezone.now())
    work("sender-checks")


def told(cast: Cast) -> list[str]:
    with cast.scope():
        return list(Mail.objects.filter(kind="notice_sender_undeliverable").values_list("subject", flat=True))


def test_owners_are_told_once_of_a_sender_that_turned_red(cast: Cast, zone: Zone, daily: Smtp) -> None:
    subject = f"Email from dana@{DOMAIN} may land in spam"
    publish(zone)
    assert WORK["sender-checks"].due()  # type: ignore[attr-defined]
    work("sender-checks")
    assert told(cast) == []
    assert not WORK["sender-checks"].due()  # type: ignore[attr-defined]
    with cast.scope():
        assert SenderCheck.objects.get().due_at > timezone.now() + timedelta(hours=22)
    zone.records.clear()
    due_again(cast)
    due_again(cast)
    assert told(cast) == [subject]
    publish(zone)
    due_again(cast)
    zone.records.clear()
    due_again(cast)
    assert told(cast) == [subject, subject]


def test_a_check_whose_worker_died_is_done_again_and_told_once(
    cast: Cast, daily: Smtp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(services, "notify", dies)
        with pytest.raises(SystemExit):
            work("sender-checks")
    with cast.scope():
        row = SenderCheck.objects.get()
        assert (row.status, row.light) == ("running", "")
        SenderCheck.objects.update(worker=None)
    sweep()
    [late] = claim(SenderCheck, limit=1)
    with cast.scope():
        SenderCheck.objects.update(status="waiting")
    work("sender-checks")
    services._settle([services.Checked(late, daily, None, services._check(daily, None))])
    assert len(told(cast)) == 1


@in_make_check
def test_silent_name_servers_are_asked_again_before_anything_is_made_of_it(
    cast: Cast, daily: Smtp, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "LIFETIME", 0.2)
    settings.DNS_RESOLVERS = [("127.0.0.1", 9)]
    with cast.scope():
        DkimKey.objects.create(
            domain=DOMAIN, selector="lw-1", private_key="x", public_record="v=DKIM1; p=", status="active"
        )
    work("sender-checks")
    with cast.scope():
        row = SenderCheck.objects.get()
        assert (row.light, row.attempts, row.due_at > timezone.now() + timedelta(minutes=50)) == ("", 1, True)
    due_again(cast)
    due_again(cast)
    with cast.scope():
        row = SenderCheck.objects.get()
        assert (row.light, row.attempts) == ("amber", 0)
        assert DkimKey.objects.get().status == "active"


def test_the_page_shows_lights_and_records(cast: Cast, zone: Zone) -> None:
    smtp = sender(cast)
    client, path = enter(cast.owner), at(cast.owner, f"senders/{smtp.pk}")
    assert "Not checked yet" in text_of(client.get(path))
    zone.text(DOMAIN, "v=spf1 -all <script>alert(1)</script>")
    assert "Needs fixing" in toast_of(client, client.post(path, {"do": "check"}))
    page = html_of(client.get(path))
    assert 'value="v=DMARC1; p=none"' in page
    assert "<script>alert" not in page
    assert "Key created" in toast_of(client, client.post(path, {"do": "make_key"}))
    assert "Publish the DNS record" in text_of(client.get(path))
    assert "already" in toast_of(client, client.post(path, {"do": "make_key"}))
    assert "Key deleted" in toast_of(client, client.post(path, {"do": "delete_key"}))
    reader = make_cast({"apps": {"GET": True}})
    path = at(reader.narrow, f"senders/{sender(reader).pk}")
    client = enter(reader.narrow)
    assert not re.findall(r'name="do"|data-dialog', html_of(client.get(path)))
    for action in ("check", "make_key", "delete_key"):
        assert 'class="toast bad"' in toast_of(client, client.post(path, {"do": action})), action
