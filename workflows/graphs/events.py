"""The kinds of events that start workflows, and the record that a run is about."""

from __future__ import annotations

from core.events.kinds import EVENTS
from core.ids import is_id
from core.text.labels.event_kinds import EVENT_LABELS
from core.text.translation import gettext_lazy
from core.types import Values

SCHEDULE = "schedule"
WEBHOOK = "webhook"
MANUAL = "manual"
OTHERS = {
    SCHEDULE: gettext_lazy("On a schedule"),
    WEBHOOK: gettext_lazy("A webhook is received"),
    MANUAL: gettext_lazy("Started by hand"),
}
"""Triggers of runs other than events."""
SILENT = ("workflow",)
"""Resources whose events start nothing: a workflow would follow itself."""
TRIGGER_EVENTS = {
    f"{resource}.{done}" for resource, words in EVENTS.items() if resource not in SILENT for done in words
}
"""The kinds of events that start runs."""


def label_of(kind: str) -> str:
    """Return the editor's label of a kind of events."""
    return OTHERS.get(kind) or EVENT_LABELS[kind]


SEGMENT = ("segment.entered", "segment.left")
"""Kinds that are of one segment: config.segment."""


def is_change(kind: str) -> bool:
    """Return whether events of the kind list the changed fields."""
    return kind.endswith(".updated")


def subject_of(kind: str, object_id: str, payload: Values) -> tuple[str | None, str | None]:
    """Return the ids of the contact and the lead that an event is about, as far as it contains them."""
    resource = kind.partition(".")[0]
    if resource == "contact":
        return object_id, None
    if resource == "lead":
        return None, object_id
    contact, lead = payload.get("contact"), payload.get("lead")
    return contact if is_id(contact) else None, lead if is_id(lead) else None
