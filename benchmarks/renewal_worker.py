"""A worker process that bills next periods until none is due, like the Celery task `billing.renew`.

It says when it could begin, and begins when it is told to, so that its start is not measured; then it says how long its
processor has worked.
"""

from __future__ import annotations

import os
import sys
from time import monotonic, process_time

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from core.jobs import WORK
    from core.jobs.registry import SLICE_SECONDS

    billing = WORK["renewals"]
    billing.due()
    print("ready", flush=True)
    sys.stdin.readline()
    begun = process_time()
    while billing.due():
        billing.drain(monotonic() + SLICE_SECONDS)
    print(process_time() - begun, flush=True)


if __name__ == "__main__":
    main()
