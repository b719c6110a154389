"""A backup of a service at work, restored beside it: the copy has all of it, sends nothing, then everything once."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from psycopg import sql

from config.backup import creation, tools
from config.backup.errors import BackupError
from config.backup.manifest import NAME, Manifest
from config.data_dir import PROJECT
from core.hold.services import begin_hold, current_hold
from core.ids import new_id
from core.jobs import WORK
from core.removals import TAKE_ALONE
from core.tenancy import company_scope, unscoped
from crm.files import storage as file_storage
from crm.files.leftovers import remove_leftovers
from crm.models import Contact, File
from outreach.models import AiApp, SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.processes import database_url
from tests.kit.smtp_server import Faults, accept_any, faulty_server

WORDS = "the passphrase of a test"
MESSAGES = 12
COPY = """
import django, sys
django.setup()
import core.jobs.notify
core.jobs.notify._publish = lambda work, **_: None
from django.core.management import call_command
from core.jobs.celery_tasks import drain_slice
from core.jobs.registry import celery_work
from core.jobs.tasks import tick
def work_off():
    for _ in range(3):
        tick()
        for work in celery_work().values():
            drain_slice(work)
    print("worked", flush=True)
work_off()
sys.stdin.readline()
call_command("release")
work_off()
work_off()
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """A data folder for the original's files."""
    settings.LEADWRIGHT_DATA = tmp_path / "data"
    monkeypatch.setattr(file_storage, "default_storage", FileSystemStorage(location=tmp_path / "data" / "files"))
    monkeypatch.setenv("BACKUP_PASSPHRASE", WORDS)
    return tmp_path / "data"


@pytest.fixture
def empty_database() -> Iterator[str]:
    """The address of a new database beside the test's."""
    parts, name = urlsplit(database_url()), f"copy_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(**{**connection.get_connection_params(), "context": None, "cursor_factory": None}) as admin:  # type: ignore[arg-type]
        admin.autocommit = True
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template1").format(sql.Identifier(name)))
        yield urlunsplit((parts.scheme, parts.netloc, f"/{name}", parts.query, ""))
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def copy_environment(url: str, folder: Path, port: int) -> dict[str, str]:
    """Return the environment of a machine on which nothing is set but where its servers are."""
    drop = ("SECRET_KEY", "FIELD_ENCRYPTION_KEY", "LOOKUP_KEY", "LEADWRIGHT_TEST_SERVERS", "DEMO")
    kept = {name: value for name, value in os.environ.items() if name not in drop}
    ours = {"DATABASE_URL": url, "LEADWRIGHT_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    reach = {"OUTBOUND_PRIVATE_HOSTS": "127.0.0.0/8", "EMAIL_URL": f"smtp://127.0.0.1:{port}"}
    return {**kept, **ours, **reach, "DNS_RESOLVERS": "127.0.0.1:9", "DEFAULT_FROM_EMAIL": "service@example.com"}


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=240)


def at_work(cast: Cast, port: int) -> str:
    """Have the company approve messages, of which one is being sent. Returns the id of that one."""
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        people = [
            Contact(name=f"Person {n}", email=f"person{n}@example.org", email_key=f"person{n}@example.org")
            for n in range(MESSAGES)
        ]
        Contact.objects.bulk_create(people)
    body = {"contactIds": [one.pk for one in people], "prompt": "Tell them about our new opening hours"}
    assert cast.key.post("/genie/from-contacts", body).status == 201
    WORK["genie"].drain(float("inf"))
    with cast.scope():
        jobs = SendJob.objects.filter(status="approved")
        assert jobs.count() == MESSAGES
        doubtful = str(jobs.order_by("pk").values_list("pk", flat=True)[0])
        jobs.filter(pk=doubtful).update(status="sending", lease=new_id(), worker=7)
    return doubtful


@pytest.mark.long
@in_make_check
@pytest.mark.django_db(transaction=True)
def test_a_restored_copy_sends_nothing_then_everything_once(data: Path, tmp_path: Path, empty_database: str) -> None:
    cast, server = make_cast(), Faults()
    with faulty_server(server, authenticator=accept_any, auth_require_tls=False) as port:
        doubtful = at_work(cast, port)
        (data / "files" / cast.company.pk).mkdir(parents=True)
        (data / "files" / cast.company.pk / "f").write_bytes(b"content")
        with unscoped(reason="a test counts"):
            before = dict(SendJob.objects.values_list("pk", "status"))
        backup = creation.make(tmp_path / "backups", words=WORDS)
        copied = copy_environment(empty_database, tmp_path / "copy", port)
        done = manage(copied, "restore", str(backup))
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "copy/files" / cast.company.pk / "f").read_bytes() == b"content"
        again = manage(copied, "restore", str(backup))
        assert again.returncode == 1
        assert "an empty one" in again.stderr

        with subprocess.Popen(
            [sys.executable, "-c", COPY], env=copied, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            assert worker.stdout.readline() == "worked\n"
            assert server.connections == 0
            worker.stdin.write("go\n")
            worker.stdin.flush()
            worker.stdout.read()
        assert worker.returncode == 0

    went = sorted(to for _, (to,), _ in server.envelopes if to.startswith("person"))
    with psycopg.connect(empty_database) as copy:
        copy.execute("SELECT set_config('app.owner', 'on', false)")
        after = dict(copy.execute("SELECT id, status FROM outreach_sendjob").fetchall())
        recipients = [row[0] for row in copy.execute("SELECT recipient FROM outreach_sendjob WHERE status = 'sent'")]
    assert before.keys() == after.keys()
    assert after.pop(doubtful) == "unknown"
    assert set(after.values()) == {"sent"}
    assert went == sorted(recipients)
    assert len(went) == len(set(went)) == MESSAGES - 1
    with company_scope(cast.company.pk):
        assert SendJob.objects.filter(status="approved").count() == MESSAGES - 1  # the original is as it was


@pytest.fixture
def backup(data: Path, db: None) -> Path:
    return creation.make(data / "backups", words=WORDS)


@pytest.mark.parametrize("part", ["database.dump", "files.tar", "secrets.sealed"])
def test_a_damaged_backup_is_told(backup: Path, part: str) -> None:
    out = io.StringIO()
    call_command("backup", "--check", str(backup), stdout=out)
    assert "is whole" in out.getvalue()
    content = bytearray((backup / part).read_bytes())
    content[len(content) // 2] ^= 1
    (backup / part).write_bytes(content)
    with pytest.raises(CommandError, match=part):
        call_command("backup", "--check", str(backup))


def test_only_its_owner_reads_a_backup_and_no_secret_is_readable(backup: Path, settings: Any) -> None:
    assert backup.stat().st_mode & 0o777 == 0o700
    for part in backup.iterdir():
        assert part.stat().st_mode & 0o777 == 0o600
        content = part.read_bytes()
        assert settings.SECRET_KEY.encode() not in content
        assert settings.FIELD_ENCRYPTION_KEY.encode() not in content


def test_a_backup_that_was_cut_off_is_none(backup: Path) -> None:
    (backup / NAME).unlink()
    with pytest.raises(CommandError, match="cut off"):
        call_command("backup", "--check", str(backup))


def test_another_passphrase_is_told(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKUP_PASSPHRASE", "another")
    with pytest.raises(CommandError, match="BACKUP_PASSPHRASE"):
        call_command("backup", "--check", str(backup))


def test_secrets_need_a_passphrase_or_a_word_against(
    data: Path, monkeypatch: pytest.MonkeyPatch, db: None, tmp_path: Path
) -> None:
    monkeypatch.delenv("BACKUP_PASSPHRASE")
    with pytest.raises(CommandError, match="--without-secrets"):
        call_command("backup", "--to", str(tmp_path / "x"))
    assert not (tmp_path / "x").exists()
    (tmp_path / "words").write_text(f"{WORDS}\n")
    monkeypatch.setenv("BACKUP_PASSPHRASE_FILE", str(tmp_path / "words"))
    call_command("backup", "--to", str(tmp_path / "x"), stdout=io.StringIO())
    [made] = (tmp_path / "x").iterdir()
    assert creation.check(made, words=WORDS).parts.keys() == {"database.dump", "files.tar", "secrets.sealed"}


def test_a_backup_of_a_newer_version_or_server_is_refused(backup: Path) -> None:
    told = json.loads((backup / NAME).read_text())
    for change, words in (({"migrations": ["crm.9999_future"]}, "newer version"), ({"server": 99}, "PostgreSQL 99")):
        (backup / NAME).write_text(json.dumps({**told, **change}))
        with pytest.raises(CommandError, match=words):
            call_command("restore", str(backup), stdout=io.StringIO())


def test_a_backup_from_before_the_migrations_were_folded_is_no_newer_version(backup: Path) -> None:
    manifest = json.loads((backup / NAME).read_text())
    names = ["crm.0001_initial", "crm.0017_buckets", "crm.0018_webhook_notice_count", "workflows.0001_initial"]
    (backup / NAME).write_text(json.dumps({**manifest, "migrations": names}))
    with pytest.raises(CommandError, match=r"the database has \d+ tables"):
        call_command("restore", str(backup), stdout=io.StringIO())


def test_old_tools_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pg_restore").touch()
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 12.3'\n")
    (tmp_path / "pg_dump").chmod(0o755)
    monkeypatch.setenv("PG_BIN", str(tmp_path))
    assert tools.find_tools(12).version == 12
    with pytest.raises(BackupError, match="postgresql-client-18"):
        tools.find_tools(18)


def test_old_backups_are_removed_but_the_newest(backup: Path) -> None:
    for day in ("20200101T000000Z", "20200102T000000Z"):
        shutil.copytree(backup, backup.with_name(f"leadwright-{day}"))
    (backup.parent / "leadwright-20200103T000000Z.unfinished").mkdir()
    removed = creation.remove_old(backup.parent, keep=2)
    assert [path.name for path in removed] == ["leadwright-20200101T000000Z"]
    assert Manifest.read(backup).format == 1


@pytest.mark.django_db(transaction=True)
def test_no_content_is_removed_while_a_backup_is_made(data: Path) -> None:
    cast = make_cast()
    key = f"{cast.company.pk}/{new_id()}"
    (data / "files" / cast.company.pk).mkdir(parents=True)
    (data / "files" / key).write_bytes(b"content")
    with cast.scope():
        file = File.objects.create(name="a.txt", size=7, mime="text/plain", path=key, is_deleted=True)
        File.objects.filter(pk=file.pk).update(trashed_at=file.created_at)
    with tools.connect() as other:
        other.execute(TAKE_ALONE)
        assert remove_leftovers(float("inf")) == 0
        assert (data / "files" / key).exists()
        other.execute("SELECT pg_advisory_unlock_all()")
    assert remove_leftovers(float("inf")) == 1
    assert not (data / "files" / key).exists()


@pytest.mark.django_db
def test_what_the_original_may_have_sent_is_left_to_people(cast: Cast) -> None:
    at_work(cast, 1)
    begin_hold("A test")
    until = timezone.now() + timedelta(minutes=1)
    with cast.scope():
        later = SendJob.objects.filter(status="approved").order_by("pk").values_list("pk", flat=True)[0]
        SendJob.objects.filter(pk=later).update(due_at=until + timedelta(minutes=1))
    with pytest.raises(CommandError, match="with its zone"):
        call_command("release", "--sent-until", "2026-01-31T09:30")
    call_command("release", "--sent-until", until.isoformat(), stdout=io.StringIO())
    assert current_hold() is None
    with cast.scope():
        told = Counter(SendJob.objects.values_list("status", "reason"))
    assert told == {("unknown", "restored"): MESSAGES - 2, ("approved", ""): 1, ("sending", ""): 1}
