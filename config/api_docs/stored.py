"""The schema on disk, built once for a release by a process of its own.

Building takes seconds of a processor and 60 MB, so no web process does it. `manage.py api_schema` is part of each
start of the supervisor and of each deployment. Where it has not run, the first request starts it.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import logging
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

import orjson
from django.conf import settings
from drf_spectacular.generators import SchemaGenerator

from config.api_docs.programs import of_programs
from config.data_dir import PROJECT
from core.types import JsonObject, Values

log = logging.getLogger(__name__)

WHOLE = "whole"
KEY = "key"
FOLDER = "api-schema"
PACKAGES = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config")
RETRY_SECONDS = 60.0
"""Pause after a build that failed."""


@dataclass(frozen=True)
class Document:
    """A schema as the web server sends it."""

    zipped: bytes
    etag: str

    @property
    def content(self) -> bytes:
        return gzip.decompress(self.zipped)


@cache
def release() -> str:
    """Return a hash of the sources and settings that the schema is made from."""
    digest = hashlib.sha256(settings.BASE_URL.encode())
    for path in sorted([PROJECT / "requirements.txt", *(file for package in PACKAGES for file in _sources(package))]):
        stats = path.stat()
        digest.update(f"{path.relative_to(PROJECT)} {stats.st_size} {stats.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _sources(package: str) -> list[Path]:
    return [*(PROJECT / package).rglob("*.py")]


def folder() -> Path:
    """Return the folder of this release's schemas."""
    return Path(settings.LEADWRIGHT_DATA) / FOLDER / release()


def read_stored(part: str) -> Document | None:
    """Return the schema, or None where it has not been built."""
    return _read(folder() / f"{part}.json.gz")


_documents: dict[Path, Document] = {}


def _read(path: Path) -> Document | None:
    if path not in _documents:
        try:
            zipped = path.read_bytes()
        except FileNotFoundError:
            return None
        _documents[path] = Document(zipped, f'W/"{hashlib.sha256(zipped).hexdigest()[:32]}"')
    return _documents[path]


def generate() -> JsonObject:
    """Return the whole schema."""
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-any-return, no-untyped-call]


def build() -> bool:
    """Build the schemas of this release, and remove those of others. Returns False where they are there already."""
    target = folder()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (target.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return False
        document = generate()
        _store(target, {WHOLE: document, KEY: of_programs(document)})
        for other in target.parent.iterdir():
            if other.is_dir() and other != target:
                shutil.rmtree(other, ignore_errors=True)
    return True


def _store(target: Path, schemas: Values) -> None:
    """Write the files. The folder gets its name when all of them are there."""
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    fresh.mkdir(mode=0o700)
    for part, schema in schemas.items():
        # The same bytes on every machine (mtime), so that the ETag is one for all.
        (fresh / f"{part}.json.gz").write_bytes(gzip.compress(orjson.dumps(schema), mtime=0))
    fresh.rename(target)


class Builder:
    """The process that builds the schema for a web process that lacks it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def start(self) -> None:
        """Start building, unless it is under way or has just failed. Does not wait."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            if self._process is not None and time.monotonic() < self._started + RETRY_SECONDS:
                if self._process.returncode:
                    log.error("manage.py api_schema ended with exit code %s", self._process.returncode)
                return
            self._started = time.monotonic()
            self._process = subprocess.Popen(  # noqa: S603  our own command
                [sys.executable, os.fspath(PROJECT / "manage.py"), "api_schema"], stdin=subprocess.DEVNULL
            )


builder = Builder()


__all__ = ["KEY", "WHOLE", "Document", "build", "builder", "generate", "read_stored"]
