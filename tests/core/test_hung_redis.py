"""A Redis that hangs (SIGSTOP) costs a request a second, once, and nothing that Redis holds is missed."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from celery import current_app
from django.test import Client

from config.local.embedded import processes
from config.local.embedded.binaries import redis_program
from config.servers import celery_url
from core import breaker
from core.access import attempts
from core.breaker import Breaker
from core.jobs import has_due, notify_workers
from crm.models import Export
from tests.kit.cast import Cast

LOGIN = "/api/public/login"


class CountingBreaker(Breaker):
    """A breaker that counts the calls which waited in vain."""

    failures = 0

    def record_failure(self) -> None:
        self.failures += 1
        super().record_failure()


OWN = CountingBreaker(5.0)


@pytest.fixture
def hung_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A Redis of the test's own, which attempts and hints use, and which is stopped but takes connections."""
    with tempfile.TemporaryDirectory(prefix="lw-", dir="/tmp") as folder:
        socket = Path(folder) / "redis.sock"
        server = subprocess.Popen(
            [redis_program(None), "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        assert processes.wait_until(socket.exists, seconds=20)
        settings.REDIS_URL = f"unix://{socket}?db=0"
        kept = current_app.conf.broker_url
        current_app.conf.broker_url = celery_url(settings.REDIS_URL)
        for name in ("core.breaker.REDIS", "core.access.attempts.REDIS", "core.jobs.notify.REDIS"):
            monkeypatch.setattr(name, OWN)
        OWN.record_success()
        OWN.failures = 0
        monkeypatch.setattr(attempts, "_here", attempts.LocalCounts())
        attempts._client.cache_clear()
        attempts._script.cache_clear()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            yield server
        finally:
            current_app.conf.broker_url = kept
            attempts._client.cache_clear()
            attempts._script.cache_clear()
            server.kill()
            server.wait()


def log_in(email: str) -> int:
    return Client().post(LOGIN, {"email": email, "password": "wrong"}, content_type="application/json").status_code


@pytest.mark.usefixtures("hung_redis", "limits", "db")
def test_wrong_logins_are_still_counted_and_only_the_first_waits() -> None:
    Client().post(LOGIN, {}, content_type="application/json")  # the first request of a process loads what it needs
    assert log_in("ann@example.com") == 400
    assert (OWN.failures, OWN.allows()) == (1, False)
    assert [log_in("ann@example.com") for _ in range(11)] == [400] * 9 + [429] * 2


@pytest.mark.broker
@pytest.mark.usefixtures("hung_redis")
def test_a_request_that_counts_and_notifies_waits_once(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert cast.key.post("/export", {"resource": "contact"}).status == 201
        notify_workers("export")
        attempts.Limit("test", 5, 60).refund("a")
    assert OWN.failures == 1
    assert has_due(Export)


@pytest.mark.broker
@pytest.mark.usefixtures("limits", "db")
def test_redis_counts_again_once_it_answers(
    hung_redis: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = attempts.Limit("test", 1, 60)
    limit.count("a")
    os.kill(hung_redis.pid, signal.SIGCONT)
    assert limit.try_count("a") is False  # still counted here: Redis is left alone for some seconds
    monkeypatch.setattr(breaker, "monotonic", lambda: monotonic() + 6)
    assert [limit.try_count("a") for _ in range(2)] == [True, False]
    assert attempts._client().dbsize() == 1


def test_one_caller_tries_in_each_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(breaker, "monotonic", lambda: now)
    guard = Breaker(5.0)
    assert [guard.allows() for _ in range(3)] == [True] * 3
    guard.record_failure()
    assert guard.allows() is False
    now = 105.0
    assert [guard.allows() for _ in range(3)] == [True, False, False]
    guard.record_success()
    assert [guard.allows() for _ in range(3)] == [True] * 3


def test_the_oldest_values_make_room() -> None:
    counts = attempts.LocalCounts(capacity=2)
    assert [counts.count(key, 60)[0] for key in ("a", "a", "b", "c", "b", "a")] == [1, 2, 1, 1, 2, 1]
