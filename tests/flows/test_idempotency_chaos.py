"""The same requests over and over from many callers, while the web processes are killed: one effect each.

IDEMPOTENCY_REQUESTS, IDEMPOTENCY_CALLERS and IDEMPOTENCY_KILLS set the size of the long form (`make chaos`).
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPException
from typing import Any

import orjson
import pytest

from core.models import IdempotencyKey
from crm.models import LeadActivity
from tests.kit.cast import KEY, Cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory
from tests.kit.processes import database_url
from tests.kit.stops import hang_one

WEB = 2
SECONDS = 240
LONG = tuple(
    int(os.environ.get(f"IDEMPOTENCY_{name}", default))
    for name, default in (("REQUESTS", "2000"), ("CALLERS", "50"), ("KILLS", "20"))
)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def stable() -> Iterator[subprocess.Popen[str]]:
    """Run the process that makes web processes."""
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LEADWRIGHT_TEST_SERVERS": "1",
        "SERVER_LOG_DAYS": "0",
    }
    command = [sys.executable, "-m", "tests.flows.web_stable"]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def spawn(process: subprocess.Popen[str], port: int) -> int:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{port}\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def insist(ports: list[int], cast: Cast, name: str, contact: str, end: float) -> tuple[int, Any, str, int]:
    """Send a request until it is answered. Returns the status, the id, whether it was a replay, and the attempts."""
    body = orjson.dumps({"contact": contact, "notes": name})
    headers = {**cast.key.headers, "Content-Type": "application/json", "Idempotency-Key": name}
    attempts = 0
    while time.monotonic() < end:
        attempts += 1
        url = f"http://127.0.0.1:{random.choice(ports)}{KEY}/lead-activity"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=20) as answer:
                data = orjson.loads(answer.read())["data"]
                return answer.status, data["_id"], answer.headers.get("Idempotency-Replayed", ""), attempts
        except urllib.error.HTTPError as error:
            if error.code not in (409, 429, 503):
                raise AssertionError(f"{error.code}: {error.read()!r}") from error
        except (OSError, HTTPException, ValueError):
            pass  # killed before its answer, or in it
        time.sleep(random.uniform(0.01, 0.1))
    raise AssertionError(f"{name}: no answer")


def chaos(cast: Cast, requests: int, callers: int, kills: int) -> dict[str, Any]:
    """Send each of some requests many times at once, and kill web processes meanwhile."""
    with cast.scope():
        contact = ContactFactory().pk
    names = [f"call {number}" for number in range(max(1, requests // 25))]
    chance = random.Random(24)
    wanted = [names[number % len(names)] for number in range(requests)]
    chance.shuffle(wanted)
    ports, end, killed = [free_port() for _ in range(WEB)], time.monotonic() + SECONDS, 0
    with stable() as process, ThreadPoolExecutor(callers) as pool:
        web = [spawn(process, port) for port in ports]
        started = time.monotonic()
        answers = [pool.submit(insist, ports, cast, name, contact, end) for name in wanted]
        while killed < kills and time.monotonic() < end and not all(one.done() for one in answers):
            time.sleep(chance.uniform(0.05, 0.3))
            one = chance.randrange(WEB)
            hang_one(web)
            with suppress(ProcessLookupError):
                os.kill(web[one], signal.SIGKILL)
            web[one] = spawn(process, ports[one])
            killed += 1
        found = [one.result(SECONDS) for one in answers]
    with cast.scope():
        effects = Counter(
            LeadActivity.objects.filter(contact=contact, notes__startswith="call ").values_list("notes", flat=True)
        )
        kept = IdempotencyKey.objects.count()
    ids: dict[str, set[str]] = {}
    for name, (status, id, _, _) in zip(wanted, found, strict=True):
        assert status == 201
        ids.setdefault(name, set()).add(id)
    assert effects == dict.fromkeys(names, 1)
    assert all(len(one) == 1 for one in ids.values())
    assert kept == len(names)
    return {
        "requests": len(found),
        "keys": len(names),
        "replays": sum(replay == "true" for _, _, replay, _ in found),
        "attempts": sum(attempts for *_, attempts in found),
        "kills": killed,
        "seconds": round(time.monotonic() - started, 1),
    }


@in_make_check
@pytest.mark.parametrize(
    ("requests", "callers", "kills"),
    [
        pytest.param(100, 20, 4, marks=pytest.mark.long, id="short"),
        pytest.param(*LONG, marks=pytest.mark.slow, id="long"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_idempotency_chaos_has_one_effect_each(requests: int, callers: int, kills: int, cast: Cast) -> None:
    told = chaos(cast, requests, callers, kills)
    print(told)
    assert told["kills"] == kills, "the requests were done before the kills were"
