"""The web server under what happens to servers: its processes are killed and replaced, and it is stopped."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import psutil
import pytest
from django.db import connection, transaction

from core.tenancy import use_owner_role
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check
from tests.kit.web import HEALTH, Web, web_process

pytestmark = [pytest.mark.long, in_make_check, pytest.mark.django_db(transaction=True)]

KILLS = 3
"""Granian by itself gave up at the second one."""


def workers(web: Web) -> list[psutil.Process]:
    return psutil.Process(web.process.pid).children()


def replaced(web: Web, old: list[int]) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        now = [one.pid for one in workers(web)]
        if now and not set(now) & set(old):
            return True
        time.sleep(0.05)
    return False


class Callers:
    """Callers that ask one after the other. An answer that breaks off is one thing, a refused connection another."""

    def __init__(self, web: Web) -> None:
        self.refused = self.broken = self.answered = 0
        self._web, self._ends = web, False
        self._threads = [threading.Thread(target=self._ask) for _ in range(3)]

    def _ask(self) -> None:
        while not self._ends:
            try:
                status, _, _ = self._web.call("GET", HEALTH)
                self.answered += status == 200
            except OSError as error:
                refused = isinstance(getattr(error, "reason", error), ConnectionRefusedError)
                self.refused += refused
                self.broken += not refused
                time.sleep(0.02)

    def __enter__(self) -> Callers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ends = True
        for thread in self._threads:
            thread.join(60)


def test_kills_and_reloads_refuse_no_connection() -> None:
    """Its process is killed as soon as there is a new one."""
    with web_process(4) as web, Callers(web) as callers:
        for _ in range(KILLS):
            [worker] = workers(web)
            os.kill(worker.pid, signal.SIGKILL)
            assert replaced(web, [worker.pid])
        before = callers.answered
        assert web.call("GET", HEALTH)[0] == 200
        broken = callers.broken
        [worker] = workers(web)
        web.process.send_signal(signal.SIGHUP)
        assert replaced(web, [worker.pid])
        assert web.call("GET", HEALTH)[0] == 200
        assert web.process.poll() is None
    assert callers.answered > before
    assert callers.refused == 0
    assert callers.broken == broken, "a reload broke an answer"
    assert callers.broken <= 4 * KILLS


def test_a_stop_lets_a_request_end() -> None:
    cast = make_cast()
    answers: list[int] = []
    with web_process(2) as web:

        def ask() -> None:
            answers.append(web.call("GET", "/api/key/protected/tag", cast.key.headers)[0])

        asking = threading.Thread(target=ask)
        with use_owner_role(), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE crm_tag IN ACCESS EXCLUSIVE MODE")
            asking.start()
            wait_for_lock(cursor)
            web.process.terminate()
            time.sleep(0.5)
            assert answers == []
        asking.join(30)
        assert answers == [200]
        assert web.process.wait(30) == 0


def wait_for_lock(cursor: Any) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'crm_tag'::regclass")
        if cursor.fetchone()[0]:
            return
        time.sleep(0.05)
    raise AssertionError("nobody waits for the table")
