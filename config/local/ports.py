"""Ports of the demo's simulated vendors, noted below the data directory for the next start too.

No Django here.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import psutil

from config.demo_vendors import google_file, read_state, state_file
from config.local import mail_catcher as catcher

GATEWAYS = "payment-standin.json"
"""File with the port of the simulated payment gateways."""


def choose_ports(data: Path) -> None:
    """Store a port for each of the stand-ins, before anything reads the files."""
    catcher_port(data)
    gateways_port(data)
    google_port(data)
    place = read_state(state_file(data))
    port = chats_port(data)
    if place.get("port") != port:
        replace(state_file(data), json.dumps({**place, "port": port}))


def catcher_port(data: Path) -> int:
    """Return the port of the running mail catcher or of the next one, which takes the noted port if it is free."""
    address = catcher.address(data)
    if address and (_catcher_runs(data) or _is_free(address[1])):
        return address[1]
    port = _free_port(None)
    replace(catcher.address_file(data), json.dumps({"host": catcher.HOST, "port": port}))
    return port


def gateways_port(data: Path) -> int:
    """Return the port of the stand-in for payment gateways: the last one, or another one if that is in use."""
    last = _noted_gateways_port(data / GATEWAYS)
    port = _free_port(last)
    if port != last:
        replace(data / GATEWAYS, json.dumps({"port": port}))
    return port


def chats_port(data: Path) -> int:
    """Return the port of the stand-in for the chat vendor: the last one, or another one if that is in use."""
    return _free_port(read_state(state_file(data)).get("port"))


def google_port(data: Path) -> int:
    """Return the port of the stand-in for Google: the last one, or another one if that is in use."""
    last = read_state(google_file(data)).get("port")
    port = _free_port(last)
    if port != last:
        replace(google_file(data), json.dumps({"port": port}))
    return port


def replace(file: Path, text: str) -> None:
    """Replace a file at once, so that no process reads half of it."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="")
    draft.replace(file)


def _noted_gateways_port(file: Path) -> int | None:
    try:
        return int(json.loads(file.read_text())["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _free_port(port: int | None) -> int:
    """Return the wanted port, or another if there is none or it is taken."""
    if port is not None and _is_free(port):
        return port
    with socket.socket() as probe:
        probe.bind((catcher.HOST, 0))
        return int(probe.getsockname()[1])


def _catcher_runs(data: Path) -> bool:
    try:
        pid = json.loads(catcher.address_file(data).read_text()).get("pid")
    except (OSError, ValueError, AttributeError):
        return False
    return isinstance(pid, int) and psutil.pid_exists(pid)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((catcher.HOST, port))
        except OSError:
            return False
    return True
