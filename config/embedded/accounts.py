"""Which operating system account the servers run under.

PostgreSQL refuses to run as root. Root therefore starts both servers under an unprivileged account; everybody else runs them as themselves.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from config.embedded.errors import EmbeddedServerError

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """An unprivileged account that root hands the servers to."""

    name: str
    uid: int
    gid: int


class Identity(TypedDict, total=False):
    """The arguments by which subprocess changes the account of a child."""

    user: int
    group: int
    extra_groups: list[int]


def server_account(*existing: Path) -> Account | None:
    """The account for the servers, or None to run them as ourselves (whenever we aren't root).

    The owner of the first of the `existing` paths that isn't root's is kept, so that root can start what an ordinary user has set up.
    """
    if os.geteuid() != 0:
        return None
    for path in existing:
        if path.exists() and (uid := path.stat().st_uid) != 0:
            return _account_of(uid, gid=path.stat().st_gid)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedServerError(
        f"PostgreSQL does not run as root and this machine has none of the accounts {', '.join(CANDIDATES)} to run it under: "
        "start as an ordinary user, or set DATABASE_URL and REDIS_URL."
    )


def _account_of(uid: int, *, gid: int) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account(str(uid), uid, gid)
    return Account(entry.pw_name, uid, entry.pw_gid)


def identity(account: Account | None) -> Identity:
    """What subprocess needs to run a command under `account`; nothing when it is our own."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def own(path: Path, account: Account | None) -> None:
    """Give a file or folder of ours to `account` (never following a symbolic link)."""
    if account is not None:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def can_enter(path: Path, account: Account | None) -> bool:
    """Whether `account` can pass through every folder down to `path`, found out by doing it (modes alone don't tell of ACLs)."""
    return _succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", os.fspath(path)], account)


def can_run(program: Path, account: Account | None) -> bool:
    """Whether `account` can execute `program`."""
    return _succeeds([os.fspath(program), "--version"], account)


def _succeeds(command: list[str], account: Account | None) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            timeout=30,
            check=False,
            **identity(account),
        )
    except PermissionError:
        return False
    return done.returncode == 0
