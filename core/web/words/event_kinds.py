"""The kinds of events as people choose them."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.events.kinds import EVENTS
from core.text.labels.event_kinds import EVENT_LABELS, RESOURCES
from core.web.forms import Option


def kind_options() -> list[Option]:
    """Return all kinds, and the patterns for all of a resource and all there are, in groups by resource."""
    options = [Option("*", _("All events"))]
    for resource, events in EVENTS.items():
        name = RESOURCES[resource]
        options.append(Option(f"{resource}.*", _("All current and future events"), name))
        options += [Option(kind, EVENT_LABELS[kind], name) for kind in (f"{resource}.{word}" for word in events)]
    return options
