"""Two machines in one: two groups of web and workers with data folders of their own on one PostgreSQL, Redis and S3.

Each is killed in the middle of work; the other goes on with it, and nothing is lost or done twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from config.data_dir import PROJECT
from config.servers import redis_url
from config.worker import main_processes, worker_command
from core.tenancy import company_scope
from crm.files.storage import INCOMING
from crm.models import Contact, File
from outreach.models import AiApp, SendJob
from tests.flows.test_send_chaos import SlowServer
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.processes import database_url
from tests.kit.s3_server import Buckets, s3_server
from tests.kit.service import Service, free_port, healthy, until
from tests.kit.smtp_server import Faults, accept_any, faulty_server

pytestmark = [pytest.mark.long, in_make_check]

ROWS = 9000
MAILS = 400
PATIENCE = 240
"""Seconds, on a machine that others load too."""
CONNECTIONS = 2


class Group:
    """A machine: web and workers, with a data folder of its own."""

    def __init__(self, name: str, folder: Path, key: str, environment: dict[str, str]) -> None:
        folder.mkdir()
        port = free_port()
        own = {"LEADWRIGHT_DATA": str(folder), "PORT": str(port), "WEB_CONCURRENCY": "1", "WEB_THREADS": "3"}
        self.service = Service(folder, f"http://127.0.0.1:{port}", {**environment, **own}, key)
        self.name = name
        self.running: dict[str, list[subprocess.Popen[bytes]]] = {}

    def start(self, what: str) -> None:
        """Start the web, or the workers of one machine (config.worker), under names that the other one has not."""
        commands = [[sys.executable, "-m", "config.web"]]
        if what == "workers":
            groups = (("main", main_processes(quick=1)), ("ai", 2))
            commands = [
                [part.replace("@%h", f"-{self.name}@%h") for part in worker_command(name, processes)]
                for name, processes in groups
            ]
        with (self.service.data / f"{what}.log").open("ab") as log:
            self.running[what] = [
                subprocess.Popen(
                    argv,
                    cwd=PROJECT,
                    env=self.service.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                for argv in commands
            ]

    def kill(self, what: str) -> None:
        """Kill the processes and all that they have started, at once."""
        processes = self.running.pop(what)
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
        for process in processes:
            process.wait(10)

    def close(self) -> None:
        for what in list(self.running):
            self.kill(what)


def environment(buckets: Buckets, box: str) -> dict[str, str]:
    """Return what both machines have in common."""
    place = buckets.body(box)
    kept = {name: value for name, value in os.environ.items() if name not in ("LEADWRIGHT_TEST_SERVERS", "DEMO")}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database_url(),
        "REDIS_URL": f"{redis_url().partition('?')[0]}?db=9",
        "SECRET_KEY": settings.SECRET_KEY,
        "FIELD_ENCRYPTION_KEY": settings.FIELD_ENCRYPTION_KEY,
        "OUTBOUND_PRIVATE_HOSTS": "127.0.0.0/8",
        "FILES_S3_ENDPOINT": place["endpoint"],
        "FILES_S3_REGION": place["region"],
        "FILES_S3_BUCKET": box,
        "FILES_S3_ACCESS_KEY": place["accesskey"],
        "FILES_S3_SECRET_KEY": place["secretkey"],
    }


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.mark.django_db(transaction=True)
def test_two_groups_share_work_and_files_and_outlive_each_other(tmp_path: Path, stack: ExitStack) -> None:
    connection.close()
    cast, server = make_cast(), Faults()
    buckets = stack.enter_context(s3_server())
    buckets.make("service-box")
    port = stack.enter_context(
        faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False)
    )
    shared = environment(buckets, "service-box")
    one, two = (Group(name, tmp_path / name, cast.key.headers["apikey"], shared) for name in ("one", "two"))
    for group in (one, two):
        stack.callback(group.close)
        for what in ("web", "workers"):
            group.start(what)
    for group in (one, two):
        until(lambda group=group: healthy(group.service), seconds=PATIENCE)

    upload_here_import_there(one, two, buckets)
    export_by_whoever_lives(one, two)
    send_while_both_are_killed(cast, one, two, port, server)


def upload_here_import_there(one: Group, two: Group, buckets: Buckets) -> None:
    """Upload by one web, import by the other; each group's workers are killed while the import goes on."""
    people = (f"Person {n},person{n}@example.org,+49,171{n:07}" for n in range(ROWS))
    lines = ["name,email,countryCode,number", *people]
    file = one.service.upload("people.csv", "\n".join(lines).encode())
    assert [key.rpartition("/")[2] for key in buckets.objects("service-box")] == [file["_id"]]
    body = {"importType": "contact", "fileId": file["_id"], "pauseImport": False}
    job = two.service.api("POST", "/contact/import", body)["data"]["import"]["_id"]

    def read() -> Any:
        return two.service.api("GET", f"/contact/import/{job}")["data"]

    until(lambda: read()["processed"] > 0, seconds=PATIENCE)
    one.kill("workers")
    one.kill("web")
    done = until(lambda: ended(read()), seconds=PATIENCE)
    assert done["status"] == "completed", done
    assert (done["processed"], done["created"], done["failed"], done["skipped"]) == (ROWS, ROWS, 0, 0)
    one.start("web")
    one.start("workers")
    until(lambda: healthy(one.service), seconds=PATIENCE)


def export_by_whoever_lives(one: Group, two: Group) -> None:
    """Have one group's workers write a file, and read it from the other group's web, when the writers are gone."""
    two.kill("workers")
    made = two.service.api("POST", "/export", {"resource": "contact", "format": "csv", "columns": ["email"]})["data"]
    done = until(lambda: ended(two.service.api("GET", f"/export/{made['_id']}")["data"]), seconds=PATIENCE)
    assert done["status"] == "completed", done
    one.kill("workers")
    request = urllib.request.Request(
        f"{two.service.base}/api/key/protected/file/{done['file']['_id']}/download",
        headers={"apikey": two.service.key},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        emails = answer.read().decode("utf-8-sig").split()[1:]
    assert Counter(emails) == Counter(f"person{n}@example.org" for n in range(ROWS))
    for group in (one, two):
        kept = [path for path in (group.service.data / "files").rglob("*") if path.is_file()]
        assert [path for path in kept if INCOMING not in path.parts] == []
    for group in (one, two):
        group.start("workers")


def ended(job: Any) -> Any:
    return job if job["status"] in ("completed", "failed", "cancelled") else None


def send_while_both_are_killed(cast: Cast, one: Group, two: Group, port: int, server: Faults) -> None:
    """Plan and send messages, with each group's workers killed once in the middle."""
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd", max_connections=CONNECTIONS)
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        ids = list(Contact.objects.order_by("pk").values_list("pk", flat=True)[:MAILS])
    body = {"contactIds": ids, "prompt": "Tell them about our new opening hours"}
    run = one.service.api("POST", "/genie/from-contacts", body)["data"]["_id"]
    for group, goal in ((one, MAILS // 4), (two, MAILS // 2)):
        until(lambda goal=goal: len(server.received) >= goal, seconds=PATIENCE)
        group.kill("workers")
        group.start("workers")

    def settled() -> Any:
        with company_scope(cast.company.pk):
            counts = Counter(SendJob.objects.filter(run=run).values_list("status", flat=True))
        return counts if set(counts) <= {"sent", "unknown"} and counts.total() == MAILS else None

    counts = until(settled, seconds=PATIENCE)
    sent = [to for _, (to,), _ in server.envelopes]
    assert len(sent) == len(set(sent)), "a mail went out twice"
    assert counts["unknown"] <= 2 * CONNECTIONS
    assert len(sent) >= counts["sent"]
    with company_scope(cast.company.pk):
        assert not File.objects.filter(storage=File.Storage.LOCAL, is_deleted=False).exists()
