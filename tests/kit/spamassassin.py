"""SpamAssassin, where it is installed: how many points it gives to messages, without asking the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PROGRAM = shutil.which("spamassassin")
needs_spamassassin = pytest.mark.skipif(PROGRAM is None, reason="SpamAssassin is not installed (Debian: spamassassin)")
_HEADER = re.compile(r"^X-Spam-Points: ?((?:.|\n[ \t])*)$", re.MULTILINE)
_RECEIVED = (
    b"Received: from mail.%s (mail.%s [93.184.215.14]) by mx.example.org (Postfix)\r\n"
    b"\twith ESMTPS id 4X1Y2Z for <ann@example.org>; %s\r\n"
)


def points_of(messages: Sequence[bytes], folder: Path) -> list[dict[str, float]]:
    """Return the rules that each message meets, with their points, as a receiving server sees it."""
    box = b"".join(b"From x@example.com Fri Nov 27 04:00:00 2026\n%s\n\n" % _arrived(one) for one in messages)
    command = [
        PROGRAM or "spamassassin",
        "--local",
        "--mbox",
        "--nocreate-prefs",
        f"--prefspath={folder / 'none'}",
        "--cf=report_safe 0",
        "--cf=use_bayes 0",
        "--cf=add_header all Points _TESTSSCORES(;)_",
    ]
    environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C"}
    run = subprocess.run(command, input=box, capture_output=True, check=True, timeout=300, env=environment)
    found = {_id(one): _points(one) for one in re.split(rb"(?m)^From x@example\.com ", run.stdout)[1:]}
    assert len(found) == len(messages), run.stderr.decode("utf-8", "replace")
    return [found[_id(one)] for one in messages]  # it gives them back in any order


def _arrived(message: bytes) -> bytes:
    """Return a message with the line of the server that took it from its sender's, and with the line ends of a file."""
    domain = re.search(rb"^From: .*@([\w.-]+)", message, re.MULTILINE)
    date = re.search(rb"^Date: (.*?)\r?$", message, re.MULTILINE)
    assert domain is not None
    assert date is not None
    whole = _RECEIVED % (domain[1], domain[1], date[1]) + message
    return re.sub(rb"(?m)^From ", b">From ", whole.replace(b"\r\n", b"\n"))


def _id(message: bytes) -> bytes:
    found = re.search(rb"(?mi)^Message-ID: *(<.*>)", message)
    assert found is not None
    return found[1]


def _points(message: bytes) -> dict[str, float]:
    header = _HEADER.search(message.decode("utf-8", "replace"))
    assert header is not None
    pairs = (one.split("=") for one in re.sub(r"\s", "", header[1]).split(";") if "=" in one)
    return {name: float(points) for name, points in pairs}
