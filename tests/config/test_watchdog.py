"""The watchdog of workers: when it ends one, and that a worker which really hangs ends and starts again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import psutil
import pytest
from celery import Celery
from redis import Redis

from config.local.embedded import processes
from config.servers import celery_url, redis_url
from config.watchdog import EXIT_CODE, MAX_FAILED_CHECKS, Check, Diagnosis, Watchdog, is_served, oldest_messages
from config.worker import GROUPS, worker_command
from tests.config.local.test_supervisor import Run
from tests.kit.examples import in_make_check
from tests.kit.stops import stopped

OWN = 8
"""The test's own database of Redis."""
WELL = Check(answered=True, idle=True, oldest={"tick": None, "send": None})
SILENT = Check(answered=False, idle=False, oldest={"tick": None})
STUCK = Check(answered=True, idle=True, oldest={"tick": b"1", "send": b"a"})
NO_REDIS = Check(answered=False, idle=True, oldest=None)


def fault(*checks: Check) -> str | None:
    """Return the last fault of a row of checks."""
    diagnosis = Diagnosis()
    return [diagnosis.fault(check) for check in checks][-1]


def test_a_consumer_that_stays_silent_ends_the_worker() -> None:
    assert fault(*[SILENT] * (MAX_FAILED_CHECKS - 1)) is None
    assert fault(*[SILENT] * MAX_FAILED_CHECKS) == "its consumer does not answer"


def test_a_message_that_an_idle_worker_leaves_ends_it() -> None:
    assert fault(*[STUCK] * MAX_FAILED_CHECKS) is None
    assert fault(*[STUCK] * (MAX_FAILED_CHECKS + 1)) == "it is idle and takes nothing from the queue tick"


BUSY = Check(answered=True, idle=False, oldest=STUCK.oldest)
OTHERS = [Check(answered=True, idle=True, oldest={"tick": str(n).encode()}) for n in range(3 * MAX_FAILED_CHECKS)]


@pytest.mark.parametrize(
    "checks",
    [
        [WELL] * 3 * MAX_FAILED_CHECKS,
        [BUSY] * 3 * MAX_FAILED_CHECKS,  # its tasks fill it: the queue waits
        OTHERS,  # the queue is never empty, but each message is taken
        [NO_REDIS] * 3 * MAX_FAILED_CHECKS,
        [*[SILENT] * (MAX_FAILED_CHECKS - 1), NO_REDIS] * 3,
        [*[SILENT] * (MAX_FAILED_CHECKS - 1), WELL] * 3,
        [*[STUCK] * MAX_FAILED_CHECKS, NO_REDIS] * 3,
        [*[STUCK] * (MAX_FAILED_CHECKS - 1), BUSY] * 3,
    ],
)
def test_a_worker_at_work_or_without_redis_lives_on(checks: list[Check]) -> None:
    diagnosis = Diagnosis()
    assert [diagnosis.fault(check) for check in checks] == [None] * len(checks)


@pytest.mark.parametrize("group", GROUPS)
def test_every_worker_has_a_watchdog(group: str) -> None:
    assert "--watchdog" in worker_command(group)
    assert Watchdog(SimpleNamespace(), watchdog=True).enabled
    assert not Watchdog(SimpleNamespace()).enabled


@pytest.fixture
def broker() -> Iterator[Redis]:
    with Redis.from_url(f"{redis_url().partition('?')[0]}?db={OWN}") as client:
        client.flushdb()
        yield client
        client.flushdb()


def test_the_message_that_is_taken_next_is_the_oldest(broker: Redis, settings: SimpleNamespace) -> None:
    settings.REDIS_URL = f"{redis_url().partition('?')[0]}?db={OWN}"
    for message in ("first", "second"):
        broker.lpush("send", message)  # as kombu does
    assert oldest_messages(["tick", "send"]) == {"tick": None, "send": b"first"}
    assert broker.brpop(["send"]) == (b"send", b"first")


def test_a_queue_is_served_while_its_consumer_answers(broker: Redis, settings: SimpleNamespace) -> None:
    settings.REDIS_URL = f"{redis_url().partition('?')[0]}?db={OWN}"
    assert oldest_messages(["tick", "send"], served=False) == {"tick": None, "send": None}
    assert not is_served("tick")
    assert oldest_messages(["tick", "send"], served=True) == {"tick": None, "send": None}
    assert (is_served("tick"), is_served("send"), is_served("import")) == (True, True, False)
    assert 0 < broker.ttl("leadwright:served:tick") <= 20
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert not is_served("tick")


def test_a_redis_that_is_away_is_no_fault_of_the_worker(settings: SimpleNamespace) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert oldest_messages(["tick"]) is None


WORKER = """
import os, sys, time
from pathlib import Path
from celery.signals import worker_ready
import config.watchdog
from config.celery import app
config.watchdog.CHECK_EVERY = 0.2
mark = Path(sys.argv[1])
def ready(sender, **_):
    os.write(1, b"pid %d\\n" % os.getpid())
    if mark.exists():
        return
    mark.touch()
    if sys.argv[2] == "blocks":
        time.sleep(600)
    sender.task_consumer.channel.qos.can_consume = lambda: False
worker_ready.connect(ready)
app.worker_main(["--quiet", "worker", "-Q", "hangs", "-c", "2", "--without-gossip", "--without-mingle", *sys.argv[3:]])
"""


def environment() -> dict[str, str]:
    url = f"{redis_url().partition('?')[0]}?db={OWN}"
    return {"DATABASE_URL": "postgresql://nowhere/nothing", "REDIS_URL": url, "CELERY_SKIP_CHECKS": "1"}


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[Run]:
    """Run a worker that hangs at first under a supervisor."""
    own = ("-c", WORKER, str(data / "hung"), *arguments, "--watchdog")
    table = f"plan = Plan(program('migrate', ''), (Program('worker', (sys.executable, *{own!r}), 1, 10.0),))"
    data.mkdir(exist_ok=True)
    run = Run(table, data, {**environment(), "DJANGO_SETTINGS_MODULE": "config.settings"})
    try:
        yield run
    finally:
        run.process.terminate()
        assert run.end() == 0
        assert run.process.stdout is not None
        run.process.stdout.close()


@pytest.mark.long
@in_make_check
@pytest.mark.parametrize(
    ("how", "pool", "reason"),
    [
        ("blocks", "prefork", "its consumer does not answer"),
        ("blocks", "threads", "its consumer does not answer"),
        ("refuses", "prefork", "it is idle and takes nothing from the queue hangs"),
    ],
)
def test_a_worker_that_hangs_ends_and_starts_again(
    tmp_path: Path, broker: Redis, how: str, pool: str, reason: str
) -> None:
    url = environment()["REDIS_URL"]
    with Celery(broker=celery_url(url), set_as_current=False) as sender:
        sender.send_task("core.nothing", queue="hangs")
    with running(tmp_path / "data", how, "-P", pool) as run:
        first = run.pid_of("worker")
        family = [first, *(child.pid for child in psutil.Process(first).children())]
        assert len(family) == (3 if pool == "prefork" else 1)
        run.wait_for(f"the worker ends, to be started again: Redis answers, but {reason}")
        run.wait_for(f"worker ended by itself (exit code {EXIT_CODE}); it starts again in")
        assert processes.wait_until(lambda: all(processes.is_gone(pid) for pid in family), seconds=10)
        run._read_until(lambda: run.text.count("| pid ") == 2, 30)
        assert run.pid_of("worker") not in family
        assert processes.wait_until(
            lambda: broker.llen("hangs") == 0, seconds=20
        )  # it takes again, what it knows or not


@pytest.mark.long
@in_make_check
def test_its_children_end_without_a_supervisor_and_a_stop_is_no_hang(tmp_path: Path, broker: Redis) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WORKER, str(tmp_path / "hung"), "blocks", "--watchdog"],
        env={**os.environ, **environment(), "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as worker:
        assert worker.stdout is not None
        while not (line := worker.stdout.readline()).startswith("pid "):
            assert line, "it has ended"
        children = [child.pid for child in psutil.Process(worker.pid).children()]
        assert len(children) == 2
        with stopped(worker.pid):
            assert not processes.wait_until(lambda: worker.poll() is not None, seconds=3)
        assert "Redis answers, but its consumer does not answer" in worker.stdout.read()
        assert worker.wait(20) == EXIT_CODE
    assert processes.wait_until(lambda: all(processes.is_gone(pid) for pid in children), seconds=10)


def test_nothing_ends_while_the_worker_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that waits for its last tasks has no consumer any more."""
    ended: list[str] = []
    monkeypatch.setattr("config.watchdog.end", ended.append)
    monkeypatch.setattr("config.watchdog.CHECK_EVERY", 0.01)
    monkeypatch.setattr("config.watchdog.oldest_messages", lambda queues, served: dict.fromkeys(queues))
    worker = SimpleNamespace(
        consumer=SimpleNamespace(call_soon=lambda call: None),
        app=SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from={"tick": None}))),
    )
    step = Watchdog(worker, watchdog=True)
    step.close(worker)
    thread = Thread(target=step._run, args=[worker])
    thread.start()
    thread.join(5)
    assert (thread.is_alive(), ended) == (False, [])
    step = Watchdog(worker, watchdog=True)
    monkeypatch.setattr("config.watchdog.end", lambda reason: (ended.append(reason), step.close(worker)))
    step._run(worker)
    assert ended == ["its consumer does not answer"]
