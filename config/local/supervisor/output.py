"""The common log: each line begins with the name of its program."""

from __future__ import annotations

import errno
import json
import os
import sys

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
COLOURS = (36, 33, 35, 32, 34, 31)
NAME_WIDTH = 8


class Output:
    """Writes prefixed lines to standard output, in colour on a terminal. A closed pipe (`make run | head`) is fine."""

    def __init__(self) -> None:
        self._coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self._colours: dict[str, int] = {}
        self.closed = False

    def line(self, name: str, text: str) -> None:
        """Write one line with the name as prefix; with LOG_FORMAT=json as an object, unless it is one."""
        if os.environ.get("LOG_FORMAT") == "json":
            self._write(f"{text if text.startswith('{') else json.dumps({'program': name, 'message': text})}\n")
            return
        prefix = f"{name:<{NAME_WIDTH}} | "
        if self._coloured:
            colour = self._colours.setdefault(name, COLOURS[len(self._colours) % len(COLOURS)])
            prefix = f"\x1b[{colour}m{prefix}\x1b[0m"
        self._write(f"{prefix}{text}\n")

    def block(self, text: str) -> None:
        """Write the text unchanged, between empty lines."""
        self._write(f"\n{text.rstrip()}\n\n")

    def _write(self, text: str) -> None:
        if self.closed:
            return
        try:
            sys.stdout.buffer.write(text.encode(errors="replace"))
            sys.stdout.buffer.flush()
        except OSError as error:
            if error.errno in NO_SPACE:
                return  # the log is a file on a full disk: its lines are lost, not the service
            self.closed = True
            # What Python flushes at its end goes nowhere instead of raising again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
