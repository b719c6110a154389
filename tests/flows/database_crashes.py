"""PostgreSQL dies three times, while the web process and the workers live on: they are at work again within seconds."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import psycopg
from celery import Celery

from config.local.embedded import postgres, redis
from config.local.embedded.postgres_setup import SUPERUSER
from config.servers import celery_url
from tests.kit.service import OWNER, Service, healthy, until

CRASHES = 3
SECONDS = 10
CONTACTS = "/api/key/protected/contact?p=1&n=1"


def mails(service: Service) -> int:
    return len(list((service.data / "mails").glob("*.eml")))


def export_done(service: Service, export: str) -> bool:
    return bool(service.api("GET", f"/export/{export}")["data"]["status"] == "completed")


def ticked_since(service: Service, moment: datetime) -> bool:
    told = service.call("GET", "/api/public/health")["data"]["tickedAt"]
    return told is not None and datetime.fromisoformat(told) > moment


def work(service: Service, seconds: float) -> None:
    """Ask for an export and a mail, and wait until the workers have made them and the tick has ended."""
    moment, before = datetime.now(UTC), mails(service)
    export = service.api("POST", "/export", {"resource": "contact"})["data"]["_id"]
    service.call("POST", "/api/public/forgot-password", {"email": OWNER})
    end = time.monotonic() + seconds
    until(lambda: export_done(service, export), end - time.monotonic())
    until(lambda: mails(service) > before, end - time.monotonic())
    until(lambda: ticked_since(service, moment), end - time.monotonic())


@contextmanager
def workers_in_a_statement(service: Service) -> Iterator[None]:
    """Make both kinds of worker wait for a lock, each in a statement outside of any transaction.

    Django keeps a connection that is lost in such a statement; one that is lost in a transaction it drops by itself.
    """
    address = postgres.url(service.data)
    with suppress(psycopg.Error), psycopg.connect(address, user=SUPERUSER) as holder:
        holder.execute("LOCK TABLE core_chore IN ACCESS EXCLUSIVE MODE")
        broker = Celery(broker=celery_url(redis.url(service.data)), set_as_current=False)
        broker.send_task("periodic.mails", queue="bulk")
        with psycopg.connect(address, user=SUPERUSER, autocommit=True) as watcher:
            waiting = "SELECT count(*) > 1 FROM pg_locks WHERE NOT granted AND relation = 'core_chore'::regclass"
            until(lambda: watcher.execute(waiting).fetchone() == (True,))
        yield


def crash(service: Service) -> list[tuple[int, Any]]:
    """Kill the database alone. Returns the answers until the supervisor has brought it back."""
    pid = postgres.status(service.data)
    assert pid is not None
    with workers_in_a_statement(service):
        os.kill(pid, signal.SIGQUIT)
    answers = []
    end = time.monotonic() + 60
    while not (postgres.status(service.data) not in (None, pid) and healthy(service)):
        assert time.monotonic() < end
        answers.append(service.status("GET", CONTACTS))
        time.sleep(0.05)
    return answers


def go_on_after_each_crash(service: Service) -> None:
    """Crash the database three times; expect answers and background work soon after each."""
    work(service, 60)  # so that every process has a connection that the crash closes
    for _ in range(CRASHES):
        answers = crash(service)
        assert {status for status, _ in answers} <= {200, 503}
        told = [headers["Retry-After"] for status, headers in answers if status == 503]
        assert told
        assert set(told) == {"5"}
        with ThreadPoolExecutor(10) as pool:
            after = list(pool.map(lambda _: service.status("GET", CONTACTS)[0], range(60)))
        assert after == [200] * 60
        work(service, SECONDS)
