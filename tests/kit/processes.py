"""Worker processes for tests that kill them: plain Python that drains one kind of work in the test's own database."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import quote

from django.db import connection

DRAIN = """
import sys, time, django
django.setup()
from core.jobs import WORK, sweep
name, seconds = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + seconds
print("ready", flush=True)
while time.monotonic() < end:
    sweep()
    WORK[name].drain(time.monotonic() + 1)
    time.sleep(0.02)
"""


def database_url() -> str:
    """Return the address of the test's own database, for another process."""
    settings = connection.settings_dict
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    user, port = settings["USER"], f":{settings['PORT']}" if settings["PORT"] else ""
    if host.startswith("/"):
        return f"postgresql://{user}@/{settings['NAME']}?host={quote(host, safe='')}"
    return f"postgresql://{user}:{quote(settings['PASSWORD'], safe='')}@{host}{port}/{settings['NAME']}"


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python process with the suite's settings on the test's database; its first line is `ready` once it is."""
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LEADWRIGHT_TEST_SERVERS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def drainer(name: str, seconds: float = 60) -> subprocess.Popen[str]:
    """Start a worker of one kind of work, which ends by itself after `seconds`."""
    return python(DRAIN, name, str(seconds))


def kill(process: subprocess.Popen[str]) -> None:
    """Kill the process by SIGKILL, and wait for its end."""
    process.kill()
    process.wait(timeout=10)
    if process.stdout:
        process.stdout.close()
