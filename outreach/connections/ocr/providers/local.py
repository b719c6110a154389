"""local: this machine reads the picture, by rapidocr (requirements-ocr.txt), in a process of its own.

The process takes half a gigabyte and some seconds to begin, so that it stays for a while and ends when nothing comes.
It gets no settings and no secrets, and bounds its own memory: pictures come from anywhere.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import selectors
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import ClassVar

import orjson
from django.conf import settings

from outreach.connections.ocr.cards import Line
from outreach.connections.ocr.providers.base import OcrFailed, OcrProvider

IDLE_SECONDS = 120
PROGRAM = Path(__file__).with_name("local_process.py")


class LocalOcr(OcrProvider):
    """Reads pictures on this machine."""

    key: ClassVar[str] = "local"
    name: ClassVar[str] = "This service's own reader"
    needs_key: ClassVar[bool] = False

    @classmethod
    def missing(cls) -> str:
        python = settings.OCR_PYTHON
        if os.access(python, os.X_OK) if python else importlib.util.find_spec("rapidocr"):
            return ""
        return "ask the operator of this service to install the built-in reader, or connect OCR.space"

    def read(self, picture: Path, mime: str, *, seconds: float) -> list[Line]:
        if missing := self.missing():
            raise OcrFailed(f"Pictures cannot be read: {missing}.", temporary=False)
        return _reader.read(picture, seconds)


class _Reader:
    """The process, and the pipe to it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def read(self, picture: Path, seconds: float) -> list[Line]:
        with self._lock:
            try:
                answer = self._recognize(picture, seconds)
            except TimeoutError:
                self.end()
                raise OcrFailed(
                    f"The picture could not be read within {seconds:.0f} seconds.", temporary=False
                ) from None
            except (OSError, ValueError):
                self.end()
                raise OcrFailed("The reader of pictures has died over this picture.", temporary=True) from None
        if "error" in answer:
            raise OcrFailed("The picture cannot be read: it is damaged, or too large.", temporary=False)
        return [Line(str(text), float(sure), float(height)) for text, sure, height in answer["lines"]]

    def _recognize(self, picture: Path, seconds: float) -> dict[str, list[list[str | float]]]:
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._process = self._begin()
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise BrokenPipeError
        into.write(orjson.dumps(os.fspath(picture)) + b"\n")
        into.flush()
        answer: dict[str, list[list[str | float]]] = orjson.loads(_line_of(out.fileno(), seconds))
        return answer

    def _begin(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  the operator's Python, and a program of our own
            [settings.OCR_PYTHON or sys.executable, "-E", os.fspath(PROGRAM), str(IDLE_SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            cwd="/",
        )

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._process = None


def _line_of(pipe: int, seconds: float) -> bytes:
    """Read a line from the pipe within `seconds`. Raises TimeoutError, and OSError at its end."""
    ends, line = monotonic() + seconds, b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0, ends - monotonic())):
                raise TimeoutError
            part = os.read(pipe, 1 << 16)
            if not part:
                raise BrokenPipeError
            line += part
    return line


_reader = _Reader()
atexit.register(_reader.end)
