"""The embedded PostgreSQL: set up, start, recognize, stop."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from config.data_dir import make_data_dir
from config.local.embedded import places, processes
from config.local.embedded.accounts import Account, account_arguments, give_ownership, require_name
from config.local.embedded.binaries import postgres_programs
from config.local.embedded.errors import EmbeddedServerError
from config.local.embedded.places import PORT, POSTGRES_SOCKET, Places
from config.local.embedded.postgres_setup import DATABASE, ROLE, SUPERUSER, set_up

START_PATIENCE = 600.0
# A fast shutdown, which rolls back open transactions; an immediate one, which the next start recovers from; a kill.
STOP_SIGNALS = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))
# A number that no system gives to a process.
NO_PROCESS = 2**31 - 1

SETTINGS = """\
# Leadwright's settings for a small machine, rewritten at every start.
# Your own go into postgresql.conf, below its include.
max_connections = 200
shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 8MB
maintenance_work_mem = 128MB
random_page_cost = 1.1
jit = off
max_parallel_workers_per_gather = 0
wal_compression = on
min_wal_size = 256MB
max_wal_size = 2GB
checkpoint_timeout = 15min
synchronous_commit = on
password_encryption = scram-sha-256
datestyle = 'iso, mdy'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
default_text_search_config = 'pg_catalog.simple'
log_line_prefix = '%m [%p] '
"""
THROWAWAY_SETTINGS = """\
# A throw-away cluster: it has to survive its own kill -9, so commits are still written, but not the machine's end.
fsync = off
full_page_writes = off
autovacuum_naptime = 10s
"""
HBA = """\
# Whoever reaches the socket is let in: it lies in a folder of mode 700. There is no TCP.
local all all trust
"""
THROWAWAY_MARK = "throwaway"


@dataclass(frozen=True)
class LockFile:
    """The state of a server in its postmaster.pid."""

    pid: int
    ready: bool

    @classmethod
    def read(cls, cluster: Path) -> LockFile | None:
        """Read the lock file. None if there is no valid one."""
        try:
            lines = (cluster / "postmaster.pid").read_text().splitlines()
            return cls(pid=int(lines[0]), ready=len(lines) > 7 and lines[7].strip() == "ready")
        except (FileNotFoundError, NotADirectoryError, ValueError, IndexError):
            return None


def url(data: Path) -> str:
    """Return the address of the embedded database, even if the server doesn't run."""
    return f"postgresql://{ROLE}@/{DATABASE}?host={quote(os.fspath(places.socket_dir(data)))}"


def ensure(data: Path) -> str:
    """Start the server of `data` unless it runs, and set up the role and the database. Returns the address."""
    make_data_dir(data)
    with places.lock_data_dir(data):
        here = places.prepare(data)
        running = running_pid(here.cluster)
        if running is None or not _reachable_or_starting(here, running):
            programs = postgres_programs(here.account)
            if not here.cluster.exists():
                _create_cluster(here, programs)
            running = _start(here, programs)
        _wait(here, running)
        set_up(here.run)
    return url(data)


def stop(data: Path) -> bool:
    """Stop the server of `data` within a time limit. Returns whether one ran."""
    if not data.exists():
        return False
    with places.lock_data_dir(data):
        cluster = _cluster(data)
        pid = running_pid(cluster)
        if pid is None:
            return False
        processes.end_process(pid, argument=cluster, signals=STOP_SIGNALS)
        return True


def status(data: Path) -> int | None:
    """Return the process id of the server of `data`, or None."""
    return running_pid(_cluster(data))


def running_pid(cluster: Path) -> int | None:
    """Return the process id of the cluster's server. A stale lock file with another program's id doesn't count."""
    lock = LockFile.read(cluster)
    if lock is None or not processes.is_running(lock.pid, argument=cluster):
        return None
    return lock.pid


def _cluster(data: Path) -> Path:
    link = data / "postgres"
    return Path(os.readlink(link)) if link.is_symlink() else link


def _create_cluster(here: Places, programs: Path) -> None:
    """Run initdb in a new folder and rename it, so that an existing cluster is complete."""
    require_name(here.account)
    fresh = here.cluster.with_name(here.cluster.name + ".new")
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(mode=0o700)
    give_ownership(fresh, here.account)
    command: list[str | Path] = [
        programs / "initdb",
        "-D",
        fresh,
        f"--username={SUPERUSER}",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
    ]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums", "--no-instructions"]
    if _is_throwaway(here):
        command.append("--no-sync")
    done = subprocess.run(
        [os.fspath(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        env=processes.ENVIRONMENT,
        timeout=300,
        check=False,
        **account_arguments(here.account),
    )
    if done.returncode != 0:
        raise EmbeddedServerError(f"initdb failed:\n{done.stdout.decode(errors='replace')}")
    _write(fresh / "pg_hba.conf", HBA, here.account)
    _write(
        fresh / "postgresql.conf",
        "include 'leadwright.conf'\n\n# Your own settings, which win over those of leadwright.conf:\n",
        here.account,
    )
    fresh.rename(here.cluster)


def _is_throwaway(here: Places) -> bool:
    return (here.data / THROWAWAY_MARK).exists()


def _write(path: Path, text: str, account: Account | None) -> None:
    """Replace a file of the cluster. Root writes to another account's folder, so it follows and keeps no old file."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        if account is not None:
            os.fchown(descriptor, account.uid, account.gid)
        file.write(text)


def _start(here: Places, programs: Path) -> int:
    """Start the server. The caller waits for it."""
    _end_orphans(here.cluster)
    _disarm_stale_locks(here)
    _write(
        here.cluster / "leadwright.conf", SETTINGS + (THROWAWAY_SETTINGS if _is_throwaway(here) else ""), here.account
    )
    command: list[str | Path] = [
        programs / "postgres",
        "-D",
        here.cluster,
        "-k",
        here.run,
        "-p",
        str(PORT),
        "-c",
        "listen_addresses=",
    ]
    command += ["-c", "unix_socket_permissions=0700"]
    return processes.spawn(command, log=here.log / "postgres.log", account=here.account).pid


def _end_orphans(cluster: Path) -> None:
    """End the children of a killed server, which hold the shared memory that a new one needs."""
    if LockFile.read(cluster) is None:
        return
    for pid in processes.working_in(cluster, name="postgres"):
        processes.end_quickly(pid)


def _disarm_stale_locks(here: Places) -> None:
    """Disarm lock files whose process is gone or another program.

    PostgreSQL only checks whether the process id exists, and refuses to start if it does. The lock file keeps the rest
    of its content, by which PostgreSQL checks that no other process uses the shared memory. The socket's lock has no
    such use, and its folder belongs to this cluster alone.
    """
    lock = here.cluster / "postmaster.pid"
    if LockFile.read(here.cluster) is not None:
        lines = lock.read_text().splitlines()
        _write(lock, "\n".join([str(NO_PROCESS), *lines[1:]]) + "\n", here.account)
    elif lock.exists():
        lock.unlink()
    for name in (POSTGRES_SOCKET, f"{POSTGRES_SOCKET}.lock"):
        (here.run / name).unlink(missing_ok=True)


def _reachable_or_starting(here: Places, pid: int) -> bool:
    """Return whether a running server will be reachable. Stops one that is ready but has lost its socket."""
    lock = LockFile.read(here.cluster)
    if lock is None or not lock.ready or (here.run / POSTGRES_SOCKET).exists():
        return True
    processes.end_process(pid, argument=here.cluster, signals=STOP_SIGNALS)
    return False


def _wait(here: Places, pid: int) -> None:
    processes.wait_ready(
        lambda: _accepts(here.run),
        alive=lambda: processes.is_running(pid, argument=here.cluster),
        what="PostgreSQL",
        log=here.log / "postgres.log",
        seconds=START_PATIENCE,
    )


def _accepts(run: Path) -> bool:
    """Return whether the server accepts connections. It refuses them while it starts or recovers."""
    if not (run / POSTGRES_SOCKET).exists():
        return False
    try:
        psycopg.connect(host=os.fspath(run), port=PORT, user=SUPERUSER, dbname="template1", connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
