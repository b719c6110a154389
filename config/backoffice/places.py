"""The operations that answer with each message text, as their endpoints declare them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from core.api.routers import PARAMETER, Operation
from core.backoffice.panels import register_panel, render_table
from core.messages.defaults import DEFAULTS
from core.messages.places import Place, Places, places_requested
from core.models import ResponseMessage
from core.text.translation import gettext_lazy as _

SHARED = _("Shared")
"""The area of messages of more than MAX_AREAS areas."""
EVERYWHERE = {
    "ExpiredSession_401": _("All requests after the session ended"),
    "OrganizationAlreadyExists_400": _("Rows of imports"),
    "QuoteAnswered_409": _("The public page of a quote"),
    "SubscriptionExpired_400": _("All requests that need an active subscription"),
}
"""Messages that no operation declares -> where they are answered."""
UNUSED = _("Not used")
MAX_AREAS = 2


@places_requested.connect
@cache
def message_places() -> Mapping[str, Places]:
    """Return the places of each message that an operation declares, of EVERYWHERE, and of those that none uses."""
    # Workers load this module and need no routes.
    from config.api_docs.operations import KEY, PERSON, PUBLIC, group_key, sections  # noqa: PLC0415
    from config.api_docs.titles import APPS  # noqa: PLC0415
    from config.urls import key, private, public  # noqa: PLC0415

    places: dict[str, list[Place]] = {name: [] for name in DEFAULTS}
    areas = {group.key: title for title, groups in sections().items() for group in groups}
    for mount, router in ((KEY, key.router), (PERSON, private.router), (PUBLIC, public.router)):
        for operation in router.operations():
            path = PARAMETER.sub(r"{\1}", operation.path).removeprefix("/")
            area = areas.get(group_key(mount.path, path), APPS)
            place = Place(area, f"{operation.method} /{path}", operation.endpoint.summary)
            for name in _names(operation):
                places[name].append(place)
    return {name: _places(name, entries) for name, entries in places.items()}


def _names(operation: Operation) -> list[str]:
    """Return the names of an operation's messages, each once."""
    endpoint = operation.endpoint
    return list(dict.fromkeys((endpoint.success, *endpoint.other_successes, *endpoint.errors)))


def _places(name: str, places: list[Place]) -> Places:
    if name in EVERYWHERE:
        return Places(SHARED, (Place(SHARED, EVERYWHERE[name], ""),))
    areas = list(dict.fromkeys(place.area for place in places))
    if not areas:
        return Places(UNUSED, ())
    return Places(areas[0] if len(areas) <= MAX_AREAS else SHARED, tuple(places))


@register_panel(ResponseMessage, _("Shown by"))
def _shown_by(message: ResponseMessage) -> SafeString:
    entry = message_places().get(message.name)
    rows = [
        (place.area, format_html("<code>{}</code>", place.operation), place.summary)
        for place in (entry.places if entry else ())
    ]
    headers = (gettext("Area"), gettext("Operation"), gettext("Purpose"))
    return render_table(headers, rows, empty=gettext("No operation uses this text."))
