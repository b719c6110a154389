"""The files, the sockets and the lock of the embedded servers.

  <data>/            LEADWRIGHT_DATA, by default var/ in the project
    postgres         the cluster, or a link to it
    run              the sockets, mode 700, or a link to them
    log/             postgres.log, redis.log
    embedded.lock    locked while servers are started or stopped

A link leads to /var/lib/leadwright/… if root's server account can't reach the data directory. It leads to a private
folder in the temporary directory if a socket's path would be too long or contain characters that a connection address
can't.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from config.local.embedded.accounts import Account, can_enter, give_ownership, server_account
from config.local.embedded.binaries import system_folder
from config.local.embedded.errors import EmbeddedServerError
from config.local.embedded.processes import open_private

PORT = 5432
POSTGRES_SOCKET = f".s.PGSQL.{PORT}"
REDIS_SOCKET = "redis.sock"
# A socket's address has at most 107 bytes on Linux and 103 on macOS. Redis silently truncates a longer one.
SOCKET_PATH_LIMIT = 103
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._+-]+")
LOCK_PATIENCE = 660.0


@dataclass(frozen=True)
class Places:
    """The real paths of one data directory's servers, created and with the right owners."""

    data: Path
    account: Account | None
    cluster: Path
    run: Path
    log: Path


def socket_dir(data: Path) -> Path:
    """Return the folder of the sockets, even if the servers have never run. Creates nothing."""
    run = data / "run"
    if run.is_symlink():
        target = Path(os.readlink(run))
        if target.parent == _private_folder():
            _require_private(target.parent)
            _require_private(target)
        return target
    return run if _fits(run) else _private_folder() / _digest(data)


def prepare(data: Path) -> Places:
    """Create the folders that the servers need. The caller holds the lock."""
    log = data / "log"
    log.mkdir(mode=0o700, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(log, data.stat().st_uid, data.stat().st_gid)
    cluster, run = data / "postgres", data / "run"
    account = server_account(cluster, data)
    if account is None:
        return Places(data, None, _resolve_link(cluster), _make_run_for_us(data, run), log)
    reachable = can_enter(data, account)
    if not cluster.is_symlink() and not cluster.exists() and not reachable:
        cluster.symlink_to(_system_place(data, account) / "postgres")
    elif not cluster.is_symlink() and not reachable:
        raise EmbeddedServerError(
            f"account {account.name}, which owns {cluster}, can't reach it: some folder above refuses it"
        )
    return Places(data, account, _resolve_link(cluster), _make_run_for(data, run, account, reachable=reachable), log)


@contextlib.contextmanager
def lock_data_dir(data: Path) -> Iterator[None]:
    """Hold the data directory's lock during a start or stop. The system frees it if the holder dies."""
    descriptor = open_private(data / "embedded.lock", os.O_RDWR)
    try:
        deadline = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EmbeddedServerError(
                        f"another start or stop has held {data / 'embedded.lock'} for {LOCK_PATIENCE:.0f} s"
                    ) from None
                time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


def _resolve_link(path: Path) -> Path:
    """Follow a link at the path's end, so that a process's arguments always contain the same path."""
    return Path(os.readlink(path)) if path.is_symlink() else path


def _fits(folder: Path) -> bool:
    """Return whether a socket in this folder has a valid address: short enough, without characters to escape."""
    return (
        len(os.fsencode(folder / POSTGRES_SOCKET)) <= SOCKET_PATH_LIMIT
        and PLAIN_PATH.fullmatch(str(folder)) is not None
    )


def _digest(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data)).hexdigest()[:16]


def _private_folder() -> Path:
    """Return this user's folder for sockets in the temporary directory."""
    name = f"leadwright-{os.geteuid()}"
    candidates = [Path(tempfile.gettempdir()) / name, Path("/tmp") / name]  # noqa: S108  its folder is checked
    return next(folder for folder in candidates if _fits(folder / ("0" * 16)) or folder == candidates[-1])


def _require_private(folder: Path) -> None:
    """Raise unless the folder, in a directory that everybody can write to, is real, ours and closed to others."""
    try:
        info = folder.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise EmbeddedServerError(
            f"{folder} isn't a private folder of this user's; remove it, or choose a shorter LEADWRIGHT_DATA"
        )


def _make_run_for_us(data: Path, run: Path) -> Path:
    """Create the socket folder of servers that run under the current user."""
    if run.is_symlink() and not os.access(run, os.W_OK | os.X_OK):
        run.unlink()
    folder = socket_dir(data)
    if folder.parent == _private_folder():
        for part in (folder.parent, folder):
            part.mkdir(mode=0o700, exist_ok=True)
            _require_private(part)
        if not run.is_symlink():
            run.symlink_to(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder


def _make_run_for(data: Path, run: Path, account: Account, *, reachable: bool) -> Path:
    """Create the socket folder of servers that root runs under `account`."""
    if run.is_symlink():
        folder = Path(os.readlink(run))
        if folder.is_dir() and folder.lstat().st_uid == account.uid and can_enter(folder, account):
            return folder
        run.unlink()
    if reachable and _fits(run):
        run.mkdir(mode=0o700, exist_ok=True)
        give_ownership(run, account)
        run.chmod(0o700)
        return run
    if run.exists():
        run.rmdir()
    folder = _system_place(data, account) / "run"
    run.symlink_to(folder)
    return folder


def _system_place(data: Path, account: Account) -> Path:
    """Create the data directory's system folder, which `account` can reach.

    Its name has a random part, so that a data directory that was deleted and created again never meets the old
    database.
    """
    link = data / "postgres"
    if link.is_symlink() and (place := Path(os.readlink(link)).parent).parent == system_folder() and place.is_dir():
        return place
    place = Path(tempfile.mkdtemp(prefix=f"{_digest(data)}-", dir=system_folder()))
    place.chmod(0o711)
    (place / "data").symlink_to(data)
    (place / "run").mkdir(mode=0o700)
    give_ownership(place / "run", account)
    return place
