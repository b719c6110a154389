"""A worker process that drains imports until none is due, like the Celery task `crm.run_import`."""

from __future__ import annotations

import os
from time import monotonic

import django


def main() -> None:
    """Work slice by slice, with a new claim each, like a worker with other work to do."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from core.jobs import WORK
    from core.jobs.registry import SLICE_SECONDS

    imports = WORK["import"]
    while imports.due():
        imports.drain(monotonic() + SLICE_SECONDS)


if __name__ == "__main__":
    main()
