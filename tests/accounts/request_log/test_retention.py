"""How the server log is written beside the requests, and how old entries go."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.db import IntegrityError, OperationalError, connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.login_log.retention import purge_login_log
from accounts.models import LoginLog, ServerLog
from accounts.request_log import retention
from accounts.request_log.entry import Entry
from accounts.request_log.middleware import ServerLogMiddleware
from accounts.request_log.recorder import MAX_BATCH, Recorder, store
from accounts.request_log.retention import purge_server_log
from core.jobs import run_due_tasks
from core.models import TaskSchedule
from core.tenancy import unscoped, use_owner_role
from tests.accounts.request_log.helpers import entry
from tests.guards.test_query_plans import walk
from tests.kit.examples import in_make_check
from tests.kit.periodic import only
from tests.kit.processes import kill, python

# The recorder


class Shelf:
    """Where a recorder stores; `trouble` is raised instead as long as it is set, `bad` is refused for good."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.trouble: Exception | None = None
        self.bad: set[str] = set()

    def __call__(self, entries: Sequence[Entry]) -> None:
        if self.trouble:
            raise self.trouble
        found = [one.path for one in entries]
        if self.bad & set(found):
            raise IntegrityError("refused")
        self.batches.append(found)

    @property
    def paths(self) -> list[str]:
        return [path for batch in self.batches for path in batch]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def recorder(shelf: Shelf, **options: Any) -> Recorder:
    """A recorder whose thread stays out of the test."""
    made = Recorder(shelf, **options)
    made._start = lambda: None  # type: ignore[method-assign]
    return made


def put(recorder: Recorder, *paths: int | str) -> None:
    for path in paths:
        recorder.put(entry(path=str(path)))


def test_entries_are_stored_in_order_and_in_batches(shelf: Shelf) -> None:
    made = recorder(shelf)
    put(made, *range(MAX_BATCH + 3))
    assert shelf.batches == []
    assert made.flush()
    assert shelf.paths == [str(n) for n in range(MAX_BATCH + 3)]
    assert [len(batch) for batch in shelf.batches] == [MAX_BATCH, 3]


def test_a_full_queue_drops_and_counts(shelf: Shelf) -> None:
    made = recorder(shelf, capacity=5)
    put(made, *range(8))
    assert made.dropped == 3
    assert made.flush()
    put(made, "later")
    made.flush()
    assert shelf.paths == ["0", "1", "2", "3", "4", "later"]


def test_what_cannot_be_stored_now_waits(shelf: Shelf) -> None:
    made = recorder(shelf)
    put(made, 1, 2)
    shelf.trouble = OperationalError("the database is away")
    assert not made.flush()
    put(made, 3)
    assert not made.flush()
    shelf.trouble = None
    assert made.flush()
    assert (shelf.paths, made.dropped) == (["1", "2", "3"], 0)


def test_a_bad_entry_never_costs_a_good_one(shelf: Shelf) -> None:
    made = recorder(shelf)
    shelf.bad = {"3", "6"}
    put(made, *range(10))
    assert made.flush()
    assert (shelf.paths, made.dropped) == (["0", "1", "2", "4", "5", "7", "8", "9"], 2)


def test_the_thread_stores_soon_and_goes_on_after_trouble(shelf: Shelf) -> None:
    made = Recorder(shelf, interval=0.01, retry=0.02)
    put(made, "first")
    wait_for(lambda: shelf.paths == ["first"])
    shelf.trouble = OperationalError("away")
    put(made, "second")
    time.sleep(0.1)
    shelf.trouble = None
    wait_for(lambda: shelf.paths == ["first", "second"])


def wait_for(true: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def rows() -> list[str]:
    with unscoped(reason="test: the rows of all companies and of nobody"):
        return list(ServerLog.objects.order_by("path").values_list("path", flat=True))


HANGS = 300
"""Seconds after which a process hangs, and isn't just slow."""
PROCESS = """
import os, threading, django
django.setup()
from accounts.request_log.recorder import RECORDER, store
from tests.accounts.request_log.helpers import entry
# The thread stores nothing before the fork: imports that it is at then would never end in the child.
forked = threading.Event()
RECORDER._store = lambda entries: forked.wait() and store(entries)
RECORDER.put(entry(path="parent"))
if child := os.fork():
    forked.set()
    os.waitpid(child, 0)
else:
    RECORDER._store = store
    RECORDER.put(entry(path="child"))
print("ready", flush=True)
"""


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_an_orderly_end_loses_nothing_and_a_fork_repeats_nothing() -> None:
    process = python(PROCESS)
    try:
        assert process.wait(HANGS) == 0
    finally:
        kill(process)
    assert rows() == ["child", "parent"]


LOST_CONNECTION = """
import time, django
django.setup()
from django.db import connection
from accounts.request_log.recorder import RECORDER
from accounts.models import ServerLog
from core.tenancy import use_owner_role, unscoped
from tests.accounts.request_log.helpers import entry

def wait_for(path):
    while True:
        with unscoped(reason="test"):
            if ServerLog.objects.filter(path=path).exists():
                return
        time.sleep(0.05)

RECORDER.put(entry(path="before"))
wait_for("before")
with use_owner_role(), connection.cursor() as cursor:
    cursor.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%json_populate_recordset%'"
    )
    assert cursor.fetchall() == [(True,)]
RECORDER.put(entry(path="after"))
wait_for("after")
assert RECORDER.dropped == 0
"""


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_loses_nothing() -> None:
    process = python(LOST_CONNECTION)
    try:
        assert process.wait(HANGS) == 0
    finally:
        kill(process)
    assert rows() == ["after", "before"]


WEB = """
import os, sys, django
from http.client import HTTPConnection
from benchmarks.web import end, serve
from pathlib import Path
with serve(Path(sys.argv[1])) as web:
    connection = HTTPConnection("127.0.0.1", web.port)
    for path in sys.argv[2:]:
        connection.request("GET", path)
        connection.getresponse().read()
print("ready", flush=True)
"""


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_the_web_server_stores_what_it_answered_before_it_ends(tmp_path: Any) -> None:
    paths = [f"/api/nowhere/{word}" for word in "abcdefghij"]
    process = python(WEB, str(tmp_path / "web.log"), *paths)
    try:
        assert process.wait(HANGS) == 0
    finally:
        kill(process)
    assert rows() == paths, (tmp_path / "web.log").read_text()


def test_without_days_there_is_no_log() -> None:
    with override_settings(SERVER_LOG_DAYS=0), pytest.raises(MiddlewareNotUsed):
        ServerLogMiddleware(lambda request: None)  # type: ignore[arg-type,return-value]


# Retention


def old_id(at: datetime, number: int) -> str:
    """An id as one was made at that time."""
    return f"{int(at.timestamp()):08x}{number:016x}"


def fill(count: int, at: datetime, first: int = 0) -> list[str]:
    """Requests of nobody, a second apart from `at` on; their ids."""
    moments = [at + timedelta(seconds=n) for n in range(count)]
    entries = [entry(id=old_id(moment, first + n), created_at=moment) for n, moment in enumerate(moments)]
    store(entries)
    return [one.id for one in entries]


@pytest.fixture
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "server-log", "login-log")


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(retention, "MAX_PURGED", 100)
    return 100


@override_settings(SERVER_LOG_DAYS=30)
def test_old_requests_go_piece_by_piece_and_it_ends(db: None, pieces: int, only_ours: None) -> None:
    limit = timezone.now() - timedelta(days=30)
    fill(250, limit - timedelta(days=2))
    young = fill(50, limit + timedelta(minutes=5), first=1000)
    with unscoped(reason="test: retention"):
        assert purge_server_log()
        assert ServerLog.objects.count() == 200
    run_due_tasks()
    with unscoped(reason="test: retention"):
        assert sorted(ServerLog.objects.values_list("pk", flat=True)) == young
        assert not purge_server_log()
        assert ServerLog.objects.count() == 50
    assert TaskSchedule.objects.get(name="server-log").error == ""
    assert TaskSchedule.objects.get(name="server-log").due_at > timezone.now()


@override_settings(SERVER_LOG_DAYS=30)
def test_a_piece_that_is_just_full_is_followed_by_an_empty_one(db: None, pieces: int) -> None:
    fill(100, timezone.now() - timedelta(days=40))
    with unscoped(reason="test: retention"):
        assert [purge_server_log(), purge_server_log()] == [True, False]
        assert not ServerLog.objects.exists()


@override_settings(LOGIN_LOG_DAYS=365, SERVER_LOG_DAYS=1)
def test_logins_stay_longer(db: None, only_ours: None) -> None:
    with unscoped(reason="test: retention"):
        for days in (400, 366, 364, 2):
            at = timezone.now() - timedelta(days=days)
            LoginLog(id=old_id(at, days), email=f"{days}@example.com", status="failed").save()
        assert not purge_login_log()
        assert list(LoginLog.objects.order_by("-id").values_list("email", flat=True)) == [
            "2@example.com",
            "364@example.com",
        ]


def test_retention_reads_nothing_that_is_young(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MAX_PURGED", 100)
    limit = timezone.now() - timedelta(days=30)
    fill(20_000, limit + timedelta(minutes=5))
    old = fill(250, limit - timedelta(days=2), first=100_000)
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_serverlog")
    with unscoped(reason="test: retention"), CaptureQueriesContext(connection) as captured:
        assert purge_server_log()
    statements = [one["sql"] for one in captured.captured_queries if "accounts_serverlog" in one["sql"]]
    assert [sql.partition(" ")[0] for sql in statements] == ["SELECT", "DELETE"]
    for sql in statements:
        with unscoped(reason="test: retention"), connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}")
            nodes = walk(cursor.fetchone()[0][0]["Plan"])
        scans = [
            node for node in nodes if node.get("Relation Name") == "accounts_serverlog" and "Scan" in node["Node Type"]
        ]
        assert scans
        for scan in scans:
            assert scan["Index Name"] == "accounts_serverlog_pkey", scan
            assert scan["Actual Rows"] + scan.get("Rows Removed by Filter", 0) <= 200, scan
    with unscoped(reason="test: retention"):
        assert ServerLog.objects.filter(pk__in=old).count() == 150
