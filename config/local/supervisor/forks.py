"""Programs as forks of the supervisor, which has loaded the application once for all of them.

They share its memory as long as they don't write to it, and start in no time: each on its own would load the
application for two seconds, into 140 MB.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import runpy
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from threading import Thread
from typing import IO

from config.data_dir import PROJECT

PR_SET_NAME = 15
M_ARENA_MAX = -8
OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that the supervisor handles. A fork leaves these to its program."""
APPLICATION = (
    *("config.wsgi", "config.celery", "django.core.management.commands.migrate"),
    *("config.web", "granian.server.mp", "celery.bin.celery", "celery.beat", "celery.apps.worker"),
    *("celery.concurrency.prefork", "celery.concurrency.thread", "celery.worker.consumer", "celery.worker.components"),
    *("celery.worker.strategy", "celery.worker.autoscale", "celery.worker.consumer.delayed_delivery"),
    *("celery.app.amqp", "celery.app.control", "celery.app.log", "celery.app.routes", "celery.app.events"),
    *("celery.contrib.django.task", "celery.backends.base", "kombu.transport.redis", "kombu.mixins"),
    *("billiard.popen_fork", "billiard.sharedctypes", "billiard.synchronize", "cffi.cparser"),
    *("django.conf.locale.en.formats", "config.formats.en.formats"),
)
"""Modules that each program would otherwise load itself."""


class Loading:
    """The application, loaded by a thread while servers start. Nothing may fork before `finish`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._error: BaseException | None = None
        os.environ.update(environment)
        self._thread = Thread(target=self._load, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Wait for it. Raises the error of the thread."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        # What has been loaded stays: a collector that looked through it would copy it into each fork.
        gc.collect()
        gc.freeze()

    def _load(self) -> None:
        try:
            gc.disable()
            for name in APPLICATION:
                import_module(name)
            import_module("config.celery").app.loader.import_default_modules()
        except BaseException as error:  # noqa: BLE001  `finish` raises it
            self._error = error
        finally:
            gc.enable()


class Fork:
    """A running fork, as subprocess.Popen would have it."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        output, write = os.pipe()
        born, ready = os.pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=_run, args=[name, command, environment, write]
        )
        # Until it is itself, a signal would reach it as if it were the supervisor.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, OURS)
        try:
            sys.stdout.flush()
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(write)
            os.close(ready)
        os.read(born, 1)  # it leads its group now, or is gone
        os.close(born)
        self.pid: int = self._process.pid or 0
        self.stdout: IO[bytes] = os.fdopen(output, "rb", buffering=0)

    def poll(self) -> int | None:
        """Return the exit code, the negative signal that ended it, or None while it runs."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()


def _run(name: str, command: Sequence[str], environment: Mapping[str, str], output: int) -> None:
    """Become the program. It begins as one that was started: with its own session, files, environment and arguments."""
    os.setsid()
    os.umask(0o077)
    os.chdir(PROJECT)
    for number in OURS:
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, OURS)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for file, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(file, target)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.environ.update(environment)
    _set_up_process(name)
    run_command(command)


def _set_up_process(name: str) -> None:
    """Take the program's name for ps, top and `make status` (the command line is shared), and one heap."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
    with contextlib.suppress(AttributeError, OSError):  # else glibc keeps what each of the threads has used once
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def run_command(command: Sequence[str]) -> None:
    """Run the command of `python …`: a module (-m) or a file, with the rest as its arguments."""
    warnings.filterwarnings("ignore", "You're running the worker with superuser")  # the embedded servers drop root
    run: Callable[..., object] = runpy.run_path
    rest = list(command[1:])
    if rest[0] == "-m":
        run, rest = runpy.run_module, rest[1:]
    sys.argv = rest
    if rest[0] == "config.web":  # it has been loaded, and runpy would load it once more, with a warning
        import_module(rest[0]).main()
        return
    run(rest[0], run_name="__main__", **({"alter_sys": True} if run is runpy.run_module else {}))
