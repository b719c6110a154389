"""The registrations of triggers."""

from __future__ import annotations

from crm.segments.tracking import watched_segments
from workflows.triggers.segments import waited_for

watched_segments.connect(waited_for)
