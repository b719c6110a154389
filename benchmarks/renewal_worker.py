"""A worker process that bills next periods until none is due, like the Celery task `core.drain`."""

from __future__ import annotations

import os
from time import monotonic

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from core.jobs import WORK
    from core.jobs.registry import SLICE_SECONDS

    billing = WORK["renewals"]
    while billing.due():
        billing.drain(monotonic() + SLICE_SECONDS)


if __name__ == "__main__":
    main()
