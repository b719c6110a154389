"""The segments that published workflows wait for."""

from __future__ import annotations

from workflows.engine.slices import plan_of
from workflows.graphs.events import SEGMENT
from workflows.graphs.models import WorkflowTrigger


def waited_for() -> set[str]:
    """Return the ids of the active company's segments whose records start workflows by entering or leaving."""
    rows = WorkflowTrigger.objects.filter(kind__in=SEGMENT).values_list("workflow__version_id", flat=True)
    return {segment for version in rows if version and (segment := plan_of(version).config.segment)}
