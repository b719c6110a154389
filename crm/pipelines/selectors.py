"""Reads of pipelines that are more than a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crm.pipelines.models import Stage


def stage_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return stage -> its name; with the pipeline's where the stages are of several."""
    columns = ("pk", "name", "pipeline__name")
    rows = list(Stage.objects.filter(pk__in=[key for key in keys if key]).values_list(*columns))
    several = len({pipeline for *_, pipeline in rows}) > 1
    return {id: f"{pipeline}: {name}" if several else name for id, name, pipeline in rows}
