"""The embedded servers on real PostgreSQL and Redis. Nothing left over from a crash stops the next start."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis as redis_client

from config.data_dir import PROJECT
from config.leakproof import LEAKPROOF_FUNCTIONS, not_leakproof
from config.local import embedded
from config.local.embedded import places, postgres, postgres_setup, processes, redis
from config.local.embedded.accounts import account_arguments, server_account
from config.local.embedded.throwaway import discard
from config.servers import celery_url, database_url, redis_url

pytestmark = pytest.mark.long


def _make_data(mode: int = 0o711) -> Path:
    data = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    data.chmod(mode)
    (data / postgres.THROWAWAY_MARK).touch()
    return data


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """One data directory for the tests that only start, stop and kill."""
    folder = _make_data()
    yield folder
    discard(folder)


@pytest.fixture
def fresh_data() -> Iterator[Path]:
    folder = _make_data()
    yield folder
    discard(folder)


@pytest.fixture
def foreign_process() -> Iterator[int]:
    """A living program that has nothing to do with us, under the account that the servers run under."""
    with subprocess.Popen(["/bin/sleep", "120"], cwd="/", **account_arguments(server_account())) as process:
        yield process.pid
        assert process.poll() is None, "a start must never end a foreign process"
        process.kill()


def _value(address: str, query: str) -> object:
    with psycopg.connect(address, autocommit=True) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


def _run(
    *arguments: str, environment: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "config.local.embedded", *arguments],
        cwd=PROJECT,
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def test_database_is_set_up_for_the_application(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    assert address == f"postgresql://leadwright@/leadwright?host={data}/run"
    assert _value(address, "SELECT current_user || ' ' || current_database()") == "leadwright leadwright"
    attributes = (
        "SELECT array[rolsuper, rolbypassrls, rolcreatedb, rolcreaterole] FROM pg_roles WHERE rolname = current_user"
    )
    assert _value(address, attributes) == [False, False, True, True]
    assert _value(address, "SHOW createrole_self_grant") == "set"
    locale = "SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = current_database()"
    assert _value(address, locale) == "b C.UTF-8"
    assert _value(address, "SELECT upper('é') || lower('Ж')") == "Éж"
    settings = {
        name: _value(address, f"SHOW {name}")
        for name in ("listen_addresses", "data_checksums", "jit", "max_connections")
    }
    assert settings == {"listen_addresses": "", "data_checksums": "on", "jit": "off", "max_connections": "200"}
    assert stat.S_IMODE((data / "run").stat().st_mode) == 0o700


def test_search_functions_are_leakproof_in_every_database(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    with psycopg.connect(address, autocommit=True) as connection:
        assert not_leakproof(connection) == []
        connection.execute("DROP DATABASE IF EXISTS made_later")
        connection.execute("CREATE DATABASE made_later")
    with psycopg.connect(address, dbname="made_later") as connection:
        assert not_leakproof(connection) == []
        signatures = [list(LEAKPROOF_FUNCTIONS)]
        row = connection.execute(
            "SELECT count(*) FROM pg_proc WHERE proleakproof AND oid = ANY(%s::text[]::regprocedure[])", signatures
        )
        assert row.fetchone() == (len(LEAKPROOF_FUNCTIONS),)


def test_lost_leakproof_mark_comes_back_at_the_next_start(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    with psycopg.connect(address, user=postgres_setup.SUPERUSER, autocommit=True) as connection:
        connection.execute("ALTER FUNCTION textlike(text, text) NOT LEAKPROOF")
        assert not_leakproof(connection) == ["textlike(text,text)"]
        embedded.ensure_postgres(data)
        assert not_leakproof(connection) == []


def test_second_ensure_finds_the_running_servers(data: Path) -> None:
    embedded.ensure_postgres(data)
    embedded.ensure_redis(data)
    before = postgres.status(data), redis.status(data)
    embedded.ensure_postgres(data)
    embedded.ensure_redis(data)
    assert (postgres.status(data), redis.status(data)) == before
    assert None not in before


def test_rows_survive_stop_and_start(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
        connection.execute("INSERT INTO kept VALUES (42)")
    assert embedded.stop_postgres(data) is True
    assert postgres.status(data) is None
    assert embedded.stop_postgres(data) is False
    assert embedded.ensure_postgres(data) == address
    assert _value(address, "SELECT max(n) FROM kept") == 42


def test_redis_answers_on_its_socket_only(data: Path) -> None:
    address = embedded.ensure_redis(data)
    assert address == f"unix://{data}/run/redis.sock?db=0"
    client = redis_client.Redis.from_url(address)
    assert client.config_get("port") == {"port": "0"}
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert embedded.stop_redis(data) is True
    assert redis.status(data) is None


def test_postgres_starts_after_kill_9_with_its_committed_rows(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS survivors (n int)")
        connection.execute("INSERT INTO survivors VALUES (7)")
    pid = postgres.status(data)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    embedded.ensure_postgres(data)
    assert postgres.status(data) not in (None, pid)
    assert _value(address, "SELECT max(n) FROM survivors") == 7


def test_busy_session_that_outlives_the_killed_server_is_ended(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    server = postgres.status(data)
    assert server is not None
    with psycopg.connect(address) as connection:
        session = connection.info.backend_pid
        # A loop that never looks whether the main process still lives, and keeps the shared memory that a new server
        # asks for.
        connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 4000000000)")
        os.kill(server, signal.SIGKILL)
        assert processes.wait_until(lambda: postgres.status(data) is None, seconds=5)
        assert not processes.is_gone(session)
        embedded.ensure_postgres(data)
        assert processes.is_gone(session)
        connection.close()
    assert _value(address, "SELECT 1") == 1


def test_long_start_is_waited_for_and_talked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "NOTE_EVERY", 0.2)
    log = tmp_path / "log"
    log.write_text("redo in progress\n")
    until = time.monotonic() + 0.5
    processes.wait_ready(lambda: time.monotonic() > until, alive=lambda: True, what="PostgreSQL", log=log, seconds=5)
    assert capsys.readouterr().out.startswith("PostgreSQL is still starting after 0 s: redo in progress\n")
    with pytest.raises(
        embedded.EmbeddedServerError, match="has been starting for 0 s and goes on(.|\n)*redo in progress"
    ):
        processes.wait_ready(lambda: False, alive=lambda: True, what="PostgreSQL", log=log, seconds=0.1)


def test_redis_starts_after_kill_9(data: Path) -> None:
    address = embedded.ensure_redis(data)
    pid = redis.status(data)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert processes.wait_until(lambda: redis.status(data) is None, seconds=5)
    assert (data / "run" / "redis.sock").exists()
    assert embedded.ensure_redis(data) == address
    assert redis_client.Redis.from_url(address).ping() is True


def test_stale_files_with_the_number_of_a_living_program(data: Path, foreign_process: int) -> None:
    address = embedded.ensure_postgres(data)
    embedded.ensure_redis(data)
    lock, socket_lock = data / "postgres" / "postmaster.pid", data / "run" / f"{places.POSTGRES_SOCKET}.lock"
    left = {path: path.read_text().splitlines()[1:] for path in (lock, socket_lock)}
    embedded.stop_postgres(data)
    embedded.stop_redis(data)
    for path, lines in left.items():
        path.write_text("\n".join([str(foreign_process), *lines]) + "\n")
    (data / "run" / places.POSTGRES_SOCKET).touch()
    (data / "run" / "redis.pid").write_text(f"{foreign_process}\n")
    (data / "run" / "redis.sock").touch()
    assert (postgres.status(data), redis.status(data)) == (None, None)
    assert embedded.stop_postgres(data) is False
    embedded.ensure_postgres(data)
    assert _value(address, "SELECT 1") == 1
    assert redis_client.Redis.from_url(embedded.ensure_redis(data)).ping() is True


def test_running_postgres_that_lost_its_socket_comes_back(data: Path) -> None:
    address = embedded.ensure_postgres(data)
    (data / "run" / places.POSTGRES_SOCKET).unlink()
    assert embedded.ensure_postgres(data) == address
    assert _value(address, "SELECT 1") == 1


def test_set_up_that_was_cut_off_is_done_again(fresh_data: Path) -> None:
    unfinished = fresh_data / "postgres.new"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18\n")
    address = embedded.ensure_postgres(fresh_data)
    assert _value(address, "SELECT 1") == 1
    assert not unfinished.exists()
    with psycopg.connect(address, user=postgres_setup.SUPERUSER, dbname="postgres", autocommit=True) as connection:
        connection.execute("DROP DATABASE leadwright WITH (FORCE)")
    assert _value(embedded.ensure_postgres(fresh_data), "SELECT current_database()") == "leadwright"


def test_failed_start_says_why(fresh_data: Path) -> None:
    embedded.ensure_postgres(fresh_data)
    embedded.stop_postgres(fresh_data)
    with (fresh_data / "postgres" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    with pytest.raises(embedded.EmbeddedServerError, match='ended while starting(.|\n)*parameter "no_such_setting"'):
        embedded.ensure_postgres(fresh_data)


def test_concurrent_starts_make_one_server(fresh_data: Path) -> None:
    environment = os.environ | {"LEADWRIGHT_DATA": str(fresh_data)}
    command = [sys.executable, "-m", "config.local.embedded", "start"]
    starts = [
        subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    outputs = [start.communicate(timeout=120)[0] for start in starts]
    assert [start.returncode for start in starts] == [0, 0, 0]
    assert set(outputs) == {f"{postgres.url(fresh_data)}\n{redis.url(fresh_data)}\n"}
    assert (
        len(
            [
                pid
                for pid in processes.working_in(fresh_data / "postgres", name="postgres")
                if processes.is_running(pid, argument="-k")
            ]
        )
        == 1
    )


def test_servers_outlive_the_command_that_starts_them_and_stop_stops_them(fresh_data: Path) -> None:
    environment = {"LEADWRIGHT_DATA": str(fresh_data)}
    assert _run("start", environment=environment).returncode == 0
    found = _run("status", environment=environment)
    assert (
        found.stdout == f"PostgreSQL runs as process {postgres.status(fresh_data)}\n"
        f"Redis runs as process {redis.status(fresh_data)}\n"
    )
    assert found.returncode == 0
    assert _run("stop", environment=environment).stdout == "Redis stopped\nPostgreSQL stopped\n"
    assert _run("status", environment=environment).returncode == 3


def test_addresses_come_from_the_environment_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/x")
    monkeypatch.setenv("REDIS_URL", "redis://cache.example:6379/3")
    assert (database_url(), redis_url()) == (
        "postgresql://db.example/x",
        "redis://cache.example:6379/3",
    )
    assert celery_url(redis_url()) == "redis://cache.example:6379/3"
    monkeypatch.setenv("REDIS_URL", "unix:///run/redis.sock?db=4")
    assert celery_url(redis_url()) == "redis+socket:///run/redis.sock?virtual_host=4"
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("REDIS_URL")
    monkeypatch.setenv("LEADWRIGHT_DATA", "/srv/lw")
    assert database_url() == "postgresql://leadwright@/leadwright?host=/srv/lw/run"
    assert celery_url(redis_url()) == "redis+socket:///srv/lw/run/redis.sock?virtual_host=0"
