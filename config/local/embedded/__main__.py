"""Command line of the embedded servers.

python -m config.local.embedded start | stop | status | url | run [--durable] -- COMMAND
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

from config.data_dir import data_dir
from config.local.embedded import EmbeddedServerError, postgres, redis, temporary_servers
from config.local.embedded.throwaway import watch
from config.local.footprint import footprint, report


def main() -> int:
    """Run the command line. Returns the exit code."""
    arguments = _parse()
    try:
        match arguments.action:
            case "start":
                print(postgres.ensure(data_dir()))
                print(redis.ensure(data_dir()))
            case "stop":
                for name, server in (("Redis", redis), ("PostgreSQL", postgres)):
                    print(f"{name} {'stopped' if server.stop(data_dir()) else 'was not running'}")
            case "status":
                return _status()
            case "url":
                print(postgres.url(data_dir()))
                print(redis.url(data_dir()))
            case "run":
                return _run(arguments.command, durable=arguments.durable)
            case "watch":
                watch(arguments.folder)
    except EmbeddedServerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m config.local.embedded", description="Command line of the embedded servers."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("start", help="start both servers and print their addresses")
    actions.add_parser("stop", help="stop both servers")
    actions.add_parser("status", help="say what runs, and its memory; exit code 3 unless both do")
    actions.add_parser("url", help="print the addresses without starting anything")
    run = actions.add_parser("run", help="run a command on temporary servers of its own")
    run.add_argument("--durable", action="store_true", help="keep fsync on, for benchmarks")
    run.add_argument("command", nargs=argparse.REMAINDER)
    actions.add_parser("watch", help=argparse.SUPPRESS).add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.action == "run":
        arguments.command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
        if not arguments.command:
            parser.error("run needs a command")
    return arguments


def _status() -> int:
    running = True
    for name, server in (("PostgreSQL", postgres), ("Redis", redis)):
        pid = server.status(data_dir())
        print(f"{name} {'is not running' if pid is None else f'runs as process {pid}'}")
        running = running and pid is not None
    if parts := footprint(data_dir()):
        print(f"\n{report(parts)}")
    return 0 if running else 3


def _run(command: list[str], *, durable: bool) -> int:
    """Run a command on temporary servers. Returns its exit code, or 128 plus the signal's number."""
    # Ctrl-C reaches the command directly; this process must outlive it to clean up. (SIG_IGN would be inherited, a
    # handler isn't.)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    try:
        with (
            temporary_servers(durable=durable) as servers,
            subprocess.Popen(command, env=os.environ | servers.environment) as child,
        ):
            try:
                code = child.wait()
            except SystemExit:
                child.terminate()
                raise
    except FileNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 127
    return 128 - code if code < 0 else code


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
