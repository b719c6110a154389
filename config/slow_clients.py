"""Limits how many threads wait for slow callers: for the rest of a body, or for an answer to be read.

WSGI has no time-out for either. The limit holds where no proxy buffers them (docs/operations.md): docs/nginx.conf
passes large bodies on as they come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import chain
from time import monotonic
from types import SimpleNamespace
from typing import Any

from config.serving.headers import WEB
from core.access.callers import Caller, address_of
from core.api.handler import error_page
from core.api.refusals import Refusal
from core.text.json import dumps
from core.types import JsonObject, Values

SMALL = 2 * 1024 * 1024
"""The largest size of a body or response that is read as a whole, so that it occupies a slot only shortly or not at
all."""
UNBUFFERED = 1_000_000
"""The smallest size of a body that docs/nginx.conf passes on while it comes in."""
STUCK_AFTER = 1.0
PATIENCE = 2.0
RETRY_SECONDS = 2

Start = Callable[..., Any]
Application = Callable[[JsonObject, Start], Any]


class Slot:
    """A slot for waiting on a caller. `moved` is the time at which the caller last sent or read data."""

    def __init__(self, network: str) -> None:
        self.network = network
        self.moved = monotonic()

    @property
    def stuck(self) -> bool:
        """Return whether the caller has made no progress for a while."""
        return monotonic() - self.moved > STUCK_AFTER


class Slots:
    """The slots of this process: a limit for each network, and a limit in total."""

    def __init__(self, *, for_each: int, in_all: int) -> None:
        self._for_each = for_each
        self._in_all = in_all
        self._held: set[Slot] = set()
        self._freed = threading.Condition()

    def acquire(self, network: str) -> Slot | None:
        """Take a slot. It waits up to PATIENCE while those who hold the slots move; None when there is none."""
        deadline = monotonic() + PATIENCE
        with self._freed:
            while blocking := self._blocking_slots(network):
                seconds_left = deadline - monotonic()
                if seconds_left <= 0 or all(slot.stuck for slot in blocking):
                    return None
                self._freed.wait(min(seconds_left, 0.2))
            slot = Slot(network)
            self._held.add(slot)
            return slot

    def release(self, slot: Slot) -> None:
        """Give the slot back. Safe to repeat."""
        with self._freed:
            self._held.discard(slot)
            self._freed.notify_all()

    def _blocking_slots(self, network: str) -> list[Slot]:
        """Return the slots of which one must be released before the network gets another."""
        own = [slot for slot in self._held if slot.network == network]
        if len(own) >= self._for_each:
            return own
        return list(self._held) if len(self._held) >= self._in_all else []


class SlowCallerLimit:
    """The WSGI middleware: requests with a body and responses beyond SMALL need a slot each, or get 429.

    One network gets all threads but two, all networks together all but one. `buffered`: a proxy buffers bodies
    below UNBUFFERED bytes.
    """

    def __init__(self, application: Application, *, threads: int, buffered: bool = False) -> None:
        self._application = application
        self._buffered = buffered
        # At least one thread is always free of slow callers, and one network alone leaves two.
        self._slots = Slots(for_each=max(1, threads - 2), in_all=max(1, threads - 1))

    def __call__(self, environ: JsonObject, start_response: Start) -> Any:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if self._buffered and length < UNBUFFERED:
            return self._application(environ, start_response)
        # By network and not by address, as an IPv6 customer has a whole /64.
        network = Caller(address_of(SimpleNamespace(META=environ))).network
        # Most requests have no body, and need a slot only if their answer is large.
        if not length:
            return self._answer(environ, start_response, network, None)
        slot = self._slots.acquire(network)
        if slot is None:
            return refuse(environ, start_response)
        try:
            if length > SMALL:
                environ["wsgi.input"] = Body(environ["wsgi.input"], slot)
                return self._answer(environ, start_response, network, slot)
            # Read whole before the view runs: no transaction waits for a caller's upload.
            environ["wsgi.input"] = BytesIO(read_whole(environ["wsgi.input"], length))
        except BaseException:
            self._slots.release(slot)
            raise
        self._slots.release(slot)
        return self._answer(environ, start_response, network, None)

    def _answer(self, environ: JsonObject, start_response: Start, network: str, slot: Slot | None) -> Any:
        started: list[Any] = []
        # Kept back until the answer's size is known, since a 429 may be sent instead.
        response = self._application(environ, lambda *arguments: started.append(arguments))
        try:
            pieces = iter(response)
            # An answer that does not stream is in memory anyway.
            head, ended = read_small(pieces) if getattr(response, "streaming", True) else (list(pieces), True)
        except BaseException:
            close(response)
            raise
        if ended:
            close(response)
            if slot is not None:
                self._slots.release(slot)
            start_response(*started[-1])
            return head  # a list: the server takes it over, and the thread is free
        slot = slot or self._slots.acquire(network)
        # The view has run already; only the sending is refused.
        if slot is None:
            close(response)
            return refuse(environ, start_response)
        start_response(*started[-1])
        return Answer(chain(head, pieces), response, slot, self._slots)


class Body:
    """A body beyond SMALL, which is read piece by piece."""

    def __init__(self, stream: Any, slot: Slot) -> None:
        self._stream = stream
        self._slot = slot

    def read(self, size: int = -1) -> bytes:
        return self._note_progress(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._note_progress(self._stream.readline(size))

    def _note_progress(self, data: bytes) -> bytes:
        self._slot.moved = monotonic()
        return data


class Answer:
    """An answer beyond SMALL, which is sent piece by piece."""

    def __init__(self, pieces: Iterator[bytes], response: Any, slot: Slot, slots: Slots) -> None:
        self._pieces = pieces
        self._response = response
        self._slot = slot
        self._slots = slots

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._slot.moved = monotonic()
            yield piece

    def close(self) -> None:
        self._slots.release(self._slot)
        close(self._response)


def read_whole(stream: Any, length: int) -> bytes:
    """Read a body of this length; less when the caller is gone."""
    pieces = []
    bytes_left = length
    while bytes_left and (piece := stream.read(bytes_left)):
        pieces.append(piece)
        bytes_left -= len(piece)
    return b"".join(pieces)


def read_small(pieces: Iterator[bytes]) -> tuple[list[bytes], bool]:
    """Read an answer up to SMALL. Returns its pieces, and whether it has ended."""
    head = []
    size = 0
    for piece in pieces:
        head.append(piece)
        size += len(piece)
        if size > SMALL:
            return head, False
    return head, True


def close(response: Any) -> None:
    """Close an answer, as WSGI demands of the server."""
    # PEP 3333: close() must be called even if the answer was not sent.
    if hasattr(response, "close"):
        response.close()


def refuse(environ: Values, start_response: Start) -> list[bytes]:
    """Answer 429 without reading the body: with the envelope under /api/, with a page elsewhere."""
    if str(environ.get("PATH_INFO", "")).startswith("/api/"):
        refusal = Refusal(
            429,
            "TooManyRequests_429",
            "Too many requests at once",
            f"others from your address are sent or read slowly; try again in {RETRY_SECONDS} seconds",
        )
        content = dumps(refusal.body())
        kind = "application/json"
    else:
        content = error_page(429).content
        kind = "text/html; charset=utf-8"
    headers = [("Content-Type", kind), ("Retry-After", str(RETRY_SECONDS)), ("Connection", "close")]
    start_response("429 Too Many Requests", [*headers, ("Content-Security-Policy", WEB)])
    return [content]
