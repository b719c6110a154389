"""The operating system account of the servers.

PostgreSQL refuses to run as root, so root starts both servers under an unprivileged account. Other users run them
themselves.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from config.local.embedded.errors import EmbeddedServerError

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """An unprivileged account for root's servers."""

    name: str
    uid: int
    gid: int


class Identity(TypedDict, total=False):
    """The arguments of subprocess that set a child's account."""

    user: int
    group: int
    extra_groups: list[int]


def server_account(cluster: Path | None = None, data: Path | None = None) -> Account | None:
    """Return the account for the servers, or None to run them as the current user (unless that is root).

    Root keeps the owner of an existing cluster, else prefers the owner of the data directory, so that an ordinary
    user's data stays theirs.
    """
    if os.geteuid() != 0:
        return None
    if cluster is not None and cluster.exists() and (uid := cluster.stat().st_uid) != 0:
        return Account(_name_of(uid) or str(uid), uid, cluster.stat().st_gid)
    if data is not None and (uid := data.stat().st_uid) != 0 and (name := _name_of(uid)) is not None:
        return Account(name, uid, data.stat().st_gid)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedServerError(
        "PostgreSQL does not run as root and this machine has none of the accounts"
        f" {', '.join(CANDIDATES)} to run it under: start as an ordinary user, or set DATABASE_URL and REDIS_URL."
    )


def require_name(account: Account | None) -> None:
    """Raise an error with a solution if initdb's user has no name, which initdb needs."""
    if _name_of(os.geteuid() if account is None else account.uid) is None:
        raise EmbeddedServerError(
            f"user {os.geteuid()} has no entry in /etc/passwd, without which PostgreSQL's initdb refuses to run: "
            "add one, start as another user, or set DATABASE_URL and REDIS_URL."
        )


def _name_of(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def account_arguments(account: Account | None) -> Identity:
    """Return the arguments of subprocess that run a command under `account`; none for the current user."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def give_ownership(path: Path, account: Account | None) -> None:
    """Give a file or folder to `account`, without following a symbolic link."""
    if account is not None:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def can_enter(path: Path, account: Account | None) -> bool:
    """Return whether `account` can enter every folder down to `path`. It tries, since modes don't show ACLs."""
    return _succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", os.fspath(path)], account)


def can_run(program: Path, account: Account | None) -> bool:
    """Return whether `account` can execute `program`."""
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
            **account_arguments(account),
        )
    except PermissionError:
        return False
    return done.returncode == 0
