"""Workers killed by kill -9 while members' mails to one person go out: none goes twice, none is lost."""

from __future__ import annotations

import logging
import time
from collections import Counter

import pytest
from django.db import connection

from core.tenancy import company_scope
from outreach.models import SendJob, SendJobTransition, Smtp
from tests.flows.test_send_chaos import CONNECTIONS, SECONDS, SlowServer, kill_while_sending, stable
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server

pytestmark = [pytest.mark.long, in_make_check]
logging.getLogger("mail.log").setLevel(logging.WARNING)
MAILS, KILLS = 60, 6


def write_all(cast: Cast, port: int) -> None:
    """Send a mail each to as many contacts, and take one in three back and send it again."""
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd", max_connections=CONNECTIONS)
        ids = [ContactFactory(custom={}).pk for _ in range(MAILS)]
    for place, id in enumerate(ids):
        body = {"to": {"kind": "contact", "id": id}, "subject": f"Mail {place}", "text": "Shall we talk?"}
        written = cast.key.post("/message", {**body, "delaySeconds": 0 if place % 3 else 60})
        assert written.status == 201, written.body
        if place % 3 == 0:
            path = f"/message/{written.data['_id']}"
            assert cast.key.put(path, {"draft": True}).status == 200
            assert cast.key.put(path, {"draft": False}).status == 200


def wait_until_sent(cast: Cast, end: float) -> Counter[str]:
    """Wait until no mail is on its way any more. Returns the counts by status."""
    while True:
        with company_scope(cast.company.pk):
            Smtp.objects.update(paused_until=None)
            counts = Counter(SendJob.objects.filter(personal=True).values_list("status", flat=True))
        if not set(counts) & {"approved", "claimed", "sending"}:
            return counts
        assert time.monotonic() < end, f"still {dict(counts)}"
        time.sleep(0.2)


@pytest.mark.django_db(transaction=True)
def test_killed_workers_send_each_mail_once() -> None:
    cast, server, end = make_cast(), Faults(), time.monotonic() + SECONDS
    with faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False) as port:
        write_all(cast, port)
        with stable(connection.settings_dict["NAME"], "http://127.0.0.1:9") as workers:
            kill_while_sending(workers, lambda: len(server.received), MAILS, KILLS, end)
            counts = wait_until_sent(cast, end)
    recipients = [to for _, addresses, _ in server.envelopes for to in addresses]
    assert len(recipients) == len(set(recipients)), "a mail went out twice"
    assert counts["sent"] + counts["unknown"] == MAILS, f"lost: {dict(counts)}"
    assert counts["cancelled"] == MAILS // 3
    assert counts["unknown"] <= KILLS * CONNECTIONS
    assert counts["sent"] <= len(recipients)
    with company_scope(cast.company.pk):
        begun = Counter(SendJobTransition.objects.filter(to_status="sending").values_list("send_job_id", flat=True))
    assert max(begun.values()) == 1
