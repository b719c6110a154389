"""/domain-tracking: hosts of a company's own, their checks, and what a request to one gets."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from core.outbound_http import HttpAnswer, HttpFailed
from outreach.messaging.domain_tracking import checks
from outreach.messaging.domain_tracking.checks import answer_of
from outreach.messaging.domain_tracking.hosts import PROBE, forget
from outreach.models import DomainTracking, SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.dns_server import Zone
from tests.outreach.helpers import Post, planned, work

HOST = "click.acme.example"
OURS = "track.example.net"


@pytest.fixture(autouse=True)
def _our_host(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.TRACKING_HOST = OURS
    settings.BASE_URL = "https://crm.example.net"
    forget(HOST)

    def answered(method: str, url: str, **_: Any) -> HttpAnswer:
        host = url.split("/")[2]
        if host.startswith("down"):
            raise HttpFailed("unreachable", f"{host} could not be reached.")
        return HttpAnswer(200, {}, answer_of(host).encode())

    monkeypatch.setattr(checks, "send_request", answered)


def added(cast: Cast, name: str = HOST) -> dict[str, Any]:
    answer = cast.key.post("/domain-tracking", {"name": name})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def publish(zone: Zone, domain: dict[str, Any]) -> None:
    cname, txt = domain["records"]
    zone.records[cname["name"], "CNAME"] = [f"{cname['value']}."]
    zone.text(txt["name"], txt["value"])


def checked(cast: Cast, domain: dict[str, Any]) -> tuple[str, str]:
    answer = cast.session.post(f"/domain-tracking/{domain['_id']}/check")
    assert answer.status == 200, answer.body
    return answer.data["status"], answer.data["detail"]


def test_a_host_is_verified_by_its_records_and_by_answering(cast: Cast, zone: Zone) -> None:
    domain = added(cast, " Click.ACME.example. ")
    assert (domain["name"], domain["status"], domain["records"][0]) == (
        HOST,
        "pending",
        {"name": HOST, "type": "CNAME", "value": OURS},
    )
    taken = cast.session.post("/domain-tracking", {"name": HOST})
    assert (taken.status, taken.body["message"]) == (400, "This tracking domain is already added.")
    for wrong in ("acme", "192.0.2.1", "a b.example", "-x.example", "https://x.example", OURS, "x" * 64 + ".example"):
        refused = cast.key.post("/domain-tracking", {"name": wrong})
        assert (refused.status, refused.body["warning"].startswith("name: ")) == (400, True), wrong
    assert checked(cast, domain) == ("pending", f"{HOST} has no CNAME record; it has to lead to {OURS}.")
    zone.records[HOST, "CNAME"] = ["elsewhere.example."]
    assert checked(cast, domain)[1].startswith(f"{HOST} leads to elsewhere.example")
    zone.records[HOST, "CNAME"] = [f"{OURS}."]
    assert checked(cast, domain)[1].startswith(f"_leadwright.{HOST} has no TXT record")
    publish(zone, domain)
    assert checked(cast, domain) == ("verified", "")
    assert [one["name"] for one in cast.key.get('/domain-tracking?filters={"status":"verified"}').data] == [HOST]
    other = make_cast()
    theirs = added(other)
    zone.text(f"_leadwright.{HOST}", domain["records"][1]["value"], theirs["records"][1]["value"])
    assert checked(other, theirs) == ("pending", "Another company uses this host.")
    down = added(cast, "down.acme.example")
    publish(zone, down)
    assert checked(cast, down)[1] == (
        "The records are there, but links would not work: down.acme.example could not be reached."
    )
    gone = cast.key.delete("/domain-tracking", {"ids": [domain["_id"]]})
    assert gone.data == {"deletedCount": 1}
    for missing in (
        cast.key.get(f"/domain-tracking/{domain['_id']}"),
        cast.key.delete("/domain-tracking", {"ids": [theirs["_id"]]}),
    ):
        assert (missing.status, missing.body["message"]) == (400, "Tracking domain not found.")


def test_a_host_is_checked_each_day_and_lost_when_its_records_are_gone(cast: Cast, zone: Zone) -> None:
    domain = added(cast)
    publish(zone, domain)
    checked(cast, domain)
    del zone.records[HOST, "CNAME"]
    zone.records["silent", "A"] = ["192.0.2.1"]
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=True):
        work("tracking-domains")
        assert cast.key.get(f"/domain-tracking/{domain['_id']}").data["status"] == "lost"
    publish(zone, domain)
    with time_machine.travel(timezone.now() + timedelta(hours=52), tick=True):
        work("tracking-domains")
        assert cast.key.get(f"/domain-tracking/{domain['_id']}").data["status"] == "verified"
    with cast.scope():
        row = DomainTracking.objects.get()
        assert (row.status, row.lease, row.attempts) == ("waiting", None, 0)


@pytest.mark.undescribed("on this host there is no API")
def test_a_verified_host_carries_the_links_and_answers_nothing_else(
    cast: Cast, post: Post, zone: Zone, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "crm.example.net"]
    domain = added(cast)
    known = Client(headers={"host": HOST})
    assert known.get(PROBE).content.decode() == answer_of(HOST)
    assert known.get("/login").status_code == 404
    publish(zone, domain)
    checked(cast, domain)
    cast.key.put("/genie/settings", {"trackOpens": True, "trackClicks": True})
    run = planned(cast, 1)
    with cast.scope():
        SendJob.objects.filter(run_id=run).update(html='<p><a href="https://shop.example/">shop</a></p>')
    work("send")
    mail = post.server.received[-1].replace(b"=\r\n", b"").decode()
    assert "crm.example.net" not in mail
    [link], [pixel] = (re.findall(rf"https://{HOST}(/{kind}/[\w.-]+)", mail) for kind in "co")
    unsubscribe = re.findall(rf"<https://{HOST}(/api/public/unsubscribe/[^>]+)>", mail)[0]
    assert known.get(link)["Location"] == "https://shop.example/"
    assert [known.get(path).status_code for path in (pixel, unsubscribe)] == [200, 200]
    for path in ("/", "/login", "/admin/", "/api/public/login", "/api/key/protected/contact", f"/c/{cast.company.pk}"):
        assert known.get(path).status_code == 404, path


def test_a_host_that_is_not_verified_takes_nothing_of_the_service_away(cast: Cast, settings: Any) -> None:
    added(cast)
    settings.ALLOWED_HOSTS = [f".{HOST.partition('.')[2]}"]
    client = Client(headers={"host": HOST})
    assert client.get("/login").status_code == 200
    assert client.get(PROBE).content.decode() == answer_of(HOST)
