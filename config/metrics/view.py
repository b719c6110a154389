"""GET /metrics."""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.utils import Error
from django.http import Http404, HttpRequest, HttpResponse

from config.metrics.database import read_figures
from core.types import JsonObject


class _Database:
    """A collector of figures from PostgreSQL."""

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

        families: JsonObject = {}
        up = 1
        try:
            for name, text, labels, value in read_figures():
                family = families.setdefault(name, GaugeMetricFamily(name, text, labels=list(labels)))
                family.add_metric(list(labels.values()), value)
        except Error:
            families = {}
            up = 0
        yield GaugeMetricFamily("leadwright_database_up", "Whether the database answered in time", value=up)
        yield from families.values()


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus's text format to who sends METRICS_TOKEN as bearer token; to others, there is no such page."""
    header = request.headers.get("Authorization", "")
    expected = f"Bearer {settings.METRICS_TOKEN}"
    if not (settings.METRICS_TOKEN and hmac.compare_digest(header.encode(), expected.encode())):
        raise Http404
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest  # noqa: PLC0415
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

    registry = CollectorRegistry()
    registry.register(_Database())
    if os.path.isdir(os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    answer = HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
    answer.headers["Cache-Control"] = "no-store"
    return answer
