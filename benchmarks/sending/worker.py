"""python -m benchmarks.sending.worker KIND: a sending process. It says that it is ready, waits for a line, sends what
is due, and prints the seconds that it has computed.

Its loop is today's (new), the one that is kept as a yardstick (former), or that of the former version in whose tree it
runs (whole; trees.py).
"""

from __future__ import annotations

import os
import sys
from time import monotonic, process_time

import django
from django.utils.module_loading import import_string


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    drain = import_string(
        {
            "new": "outreach.messaging.delivery.sending.loop.drain",
            "former": "benchmarks.sending.former.drain",
            "whole": "outreach.delivery.worker.drain",
        }[sys.argv[1]]
    )
    print("ready", flush=True)
    sys.stdin.readline()
    before = process_time()
    drain(monotonic() + float(sys.argv[2]))
    print(process_time() - before, flush=True)


if __name__ == "__main__":
    main()
