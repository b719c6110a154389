"""Messages of a run, for tests of their review."""

from __future__ import annotations

from typing import Any

from outreach.models import SendJob
from tests.kit.cast import Cast

PATH = "/genie/send-jobs"


def ids(cast: Cast, run: str) -> list[str]:
    with cast.scope():
        return list(SendJob.objects.filter(run_id=run).order_by("id").values_list("pk", flat=True))


def shown(cast: Cast, id: str) -> dict[str, Any]:
    return dict(cast.key.get(f"{PATH}/{id}").data)
