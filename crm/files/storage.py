"""Contents on this service's disk: written whole or not at all, read as streams. crm.files.stores has the buckets."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Any, BinaryIO

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from core.errors import NamedError

log = logging.getLogger(__name__)

HASHES = ("md5", "sha1", "sha256", "sha512")
INCOMING = ".incoming"
UPLOAD = ".upload"
LOCKING = 60
"""Seconds after which a file that has been opened is locked, surely."""
ABANDONED = timedelta(hours=24)
"""After this time an unfinished upload counts as failed."""
COPY_BYTES = 1 << 20


class Received(UploadedFile):  # type: ignore[type-arg]  # Django's class takes no type when it runs
    """An upload in progress: written to a temporary file on the storage's volume and hashed as it arrives."""

    file: Any
    size: int

    def __init__(self, name: str, folder: Path | None = None) -> None:
        """Open a temporary file in `folder`, on the storage's volume; the default is the folder of uploads."""
        self._digests = {kind: hashlib.new(kind, usedforsecurity=False) for kind in HASHES}
        super().__init__(open_incoming(folder), name, size=0)

    def append(self, data: bytes) -> None:
        """Write the next bytes."""
        self.file.write(data)
        self.size += len(data)
        for digest in self._digests.values():
            digest.update(data)

    def complete(self) -> None:
        """Flush the file to disk after the last byte, so that it survives a power cut."""
        self.file.flush()
        # The row is committed afterwards. It must not refer to bytes that are in the system's cache only.
        os.fsync(self.file.fileno())
        self.file.seek(0)

    @property
    def hashes(self) -> dict[str, str]:
        """Name of the hash -> hex."""
        return {kind: digest.hexdigest() for kind, digest in self._digests.items()}

    def temporary_file_path(self) -> str:
        """Return the path from which Django's storages move the file instead of copying it."""
        return str(self.file.name)

    def close(self) -> None:
        # The storage has moved it, or the disk is full and takes no last bytes; it is removed even so.
        with suppress(OSError):
            self.file.close()


def local_path(key: str) -> Path | None:
    """Return the path of a key if the storage keeps files on this machine."""
    try:
        return Path(default_storage.path(key))
    except NotImplementedError:
        return None


def incoming_folder() -> Path | None:
    """Return the folder in which uploads are written, on the same volume as the storage so that a move is a rename;
    None for the system's default."""
    folder = local_path(INCOMING)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_incoming(folder: Path | None = None) -> Any:
    """Open a temporary file for an upload.

    This process locks it as long as it lives: `remove_old_incoming` deletes files that no process locks.
    """
    target = tempfile.NamedTemporaryFile(suffix=UPLOAD, dir=folder or incoming_folder())  # noqa: SIM115  closed by its user
    with suppress(OSError):  # a file system without locks: it is removed when it is ABANDONED
        # The system frees the lock when the process ends in whatever way, so
        # no process id has to be compared.
        fcntl.flock(target, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return target


@contextmanager
def working_folder(name: str) -> Iterator[Path]:
    """Open an empty folder on the storage's volume for files in progress; leftovers of dead workers under the same
    name are removed."""
    parent = incoming_folder() or Path(tempfile.gettempdir())
    # Only the worker that has claimed the job uses the name, so no live one works in the former folders.
    for old in parent.glob(f"{name}-*"):
        shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def open_content(key: str) -> BinaryIO:
    """Return the content of the key as a binary stream. Raises FileNotFoundError."""
    content: Any = default_storage.open(key, "rb")
    return content.file  # type: ignore[no-any-return]


def remove(path: str) -> bool:
    """Remove the content of the key, if there is one. Returns False if the storage refuses."""
    try:
        default_storage.delete(path)
    except Exception:  # noqa: BLE001  one file must not stop the others; it is tried again
        log.exception("the content %s cannot be removed", path)
        return False
    return True


def remove_old_incoming() -> bool:
    """Remove uploads in progress that dead processes have left. Returns False: nothing is left to do."""
    folder = incoming_folder()
    for entry in os.scandir(folder) if folder is not None else ():
        with suppress(OSError):
            age = time() - entry.stat().st_mtime
            is_old = age > ABANDONED.total_seconds()
            # Between its creation and its lock a file has no owner yet, so very young ones are left alone.
            is_upload = age > LOCKING and entry.name.endswith(UPLOAD) and not entry.is_dir()
            if is_old or (is_upload and _is_ownerless(entry.path)):
                shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)
    return False


def _is_ownerless(path: str) -> bool:
    """Return whether no living process has locked the file."""
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def save(key: str, content: Received) -> None:
    """Store the content under exactly this key. Raises FileUploadFailed_400."""
    try:
        stored: Any = default_storage.save(key, content)
    except Exception as error:  # storages raise the errors of their vendors' libraries
        log.exception("the storage refused %s", key)
        raise NamedError(
            "FileUploadFailed_400", f"{content.name}: the storage did not take the file; try again", errors=[]
        ) from error
    # Django's storages choose another name where the key exists. The row would
    # then refer to somebody else's file.
    if stored != key:
        default_storage.delete(stored)
        detail = f"{content.name}: the storage has such a file already; try again"
        raise NamedError("FileUploadFailed_400", detail, errors=[])
