"""The kinds of events as people choose them."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.events.kinds import EVENTS
from core.text.translation import gettext_lazy
from core.web.forms import Option

NAMES = {
    "calllog": gettext_lazy("Call"),
    "contact-category": gettext_lazy("Category"),
    "enrich": gettext_lazy("Suggestion"),
    "genie": gettext_lazy("Outreach"),
}
"""Resource of an event -> its name, where that is not its word."""


def kind_options() -> list[Option]:
    """Return all kinds, and the patterns for all of a resource and all there are, in groups by resource."""
    options = [Option("*", _("All events"))]
    for resource, events in EVENTS.items():
        name = NAMES.get(resource) or resource.replace("-", " ").capitalize()
        options.append(Option(f"{resource}.*", _("All current and future events"), name))
        options += [Option(f"{resource}.{word}", word.capitalize(), name) for word in events]
    return options
