"""While the service is held nothing reaches others, and when it is released everything does, once."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client

from accounts.mails.models import Mail
from core import s3
from core.events.restored import repair_after_restore
from core.hold.services import begin_hold, current_hold
from core.ids import new_id
from core.jobs import celery_tasks
from core.jobs import tasks as tasks_module
from core.jobs.due import names_on_hold
from core.jobs.heartbeat import record_tick
from core.jobs.registry import queue_work_by_name
from core.jobs.tasks import tick
from core.outbound import OutboundRefused, refuse_connections_if, resolve_allowed
from core.tenancy import unscoped
from tests.kit.cast import Cast
from tests.kit.celery_tasks import task_of
from tests.kit.factories import UserFactory
from tests.kit.smtp_server import Faults, faulty_server

pytestmark = pytest.mark.django_db


def mails(number: int) -> list[Mail]:
    with unscoped(reason="test: mails of the service"):
        made = [Mail(to=f"p{n}@example.org", subject="Hello", text="Hello") for n in range(number)]
        for one in made:
            one.save()
    return made


def say(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def test_what_goes_on_while_held_stays_inside() -> None:
    assert {name for name, work in queue_work_by_name().items() if work.while_held} == {
        "bulk-job",
        "events",
        "export",
        "import",
        "suppression-import",
    }


def test_held_work_waits_and_is_done_once_after_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    for module in (tasks_module, celery_tasks):
        monkeypatch.setattr(module, "close_old_connections", lambda: None)
    monkeypatch.setattr(tasks_module, "notify_workers_of", lambda work, **_: told.append(work.name))
    send_mails = task_of("mails")
    mails(3)
    begin_hold("A test")
    tick()
    send_mails()
    assert ("mails" in told, len(mail.outbox)) == (False, 0)
    assert "mails" in names_on_hold()
    say("release")
    tick()
    assert "mails" in told
    send_mails()
    send_mails()
    assert sorted(one.to[0] for one in mail.outbox) == ["p0@example.org", "p1@example.org", "p2@example.org"]


def test_requests_open_no_connection_while_held(cast: Cast) -> None:
    server = Faults()
    body = {"fromName": "Ann", "fromEmail": "ann@example.com", "host": "127.0.0.1", "secure": False}
    body |= {"username": "user", "password": "password"}
    with faulty_server(server) as port:
        begin_hold("A test")
        refused = cast.key.post("/apps/smtp", {**body, "port": port})
        assert "manage.py release" in str(refused.body)
        assert not server.connections
        say("release")
        assert "manage.py release" not in str(cast.key.post("/apps/smtp", {**body, "port": port}).body)
        assert server.connections


def test_files_in_buckets_are_reached_while_held() -> None:
    with refuse_connections_if(lambda: "held"):
        with pytest.raises(OutboundRefused) as refused:
            resolve_allowed("127.0.0.1", 443)
        assert refused.value.code == "held"
        place = s3.S3Place("http://127.0.0.1:1", "eu-central-1", "box", "key", "secret")
        with pytest.raises(s3.S3Failed) as failed:
            s3.delete(place, "x")
        assert failed.value.code == "unreachable"  # it was tried


def test_health_and_the_back_office_tell_of_the_hold(client: Client) -> None:
    record_tick()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    assert "Nothing goes out" not in client.get("/admin/").content.decode()
    hold = begin_hold("Restored from the backup of today")
    told: Any = Client().get("/api/public/health").json()
    assert (told["message"], told["data"]["work"]) == ("Held", "held")
    assert told["data"]["heldSince"]
    page = client.get("/admin/").content.decode()
    assert "On hold: nothing is sent" in page
    assert hold.reason in page
    assert "On hold: nothing is sent" in client.get("/admin/core/event/").content.decode()


def test_commands_begin_and_end_the_hold() -> None:
    assert say("release") == "Nothing is held.\n"
    assert "Held since" in say("hold", "--reason", "We move")
    assert "Held since" in say("hold", "--reason", "Another reason")
    hold = current_hold()
    assert hold is not None
    assert hold.reason == "We move"
    mails(1)
    assert "mails" in say("release", "--check")
    assert current_hold() is not None
    assert "Released" in say("release")
    assert current_hold() is None


def test_work_of_the_originals_workers_is_free_after_a_restore() -> None:
    [one] = mails(1)
    with unscoped(reason="test: mails of the service"):
        Mail.objects.filter(pk=one.pk).update(status="sending", worker=1234567, lease=new_id())
        done = repair_after_restore("A test")
        one.refresh_from_db()
    assert (done.freed, one.status, one.worker) == (1, Mail.claim_policy.ready, None)
