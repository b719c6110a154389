"""Connected apps that a run may send by: customChannelSelection and customChannels."""

from __future__ import annotations

from core.errors import NamedError, ValidationFailed, shorten
from core.ids import is_id
from core.types import Values
from outreach.connections.connected_apps.registry import Capability, apps_with

MAX_CHANNELS = 100


def read_channels(selected: bool, custom_channels: Values) -> dict[str, list[str]]:
    """Return app -> ids of those that may send.

    Raises ValidationFailed for unknown apps, for values that are no list of ids, and for an empty selection if one is
    required. Raises AppNotFound_400 for unknown or inactive apps. Each names the key.
    """
    apps, app_ids = apps_with(Capability.SEND_MAIL), dict[str, list[str]]()
    for key, ids in custom_channels.items():
        where = f"customChannels.{shorten(key, 40)}"
        if key not in apps:
            raise ValidationFailed(f"{where}: there is no such channel", f"there is {', '.join(apps)}", field=where)
        if not isinstance(ids, list) or len(ids) > MAX_CHANNELS or not all(is_id(id) for id in ids):
            raise ValidationFailed(f"{where}: needs ids", f'write it as {{"{key}": [ids of senders]}}', field=where)
        active = set(apps[key].rows().filter(pk__in=ids, is_active=True).values_list("pk", flat=True))
        lost = [id for id in ids if id not in active]
        if lost:
            raise NamedError("AppNotFound_400", "choose another sender; one is off or deleted", field=where)
        app_ids[key] = list(dict.fromkeys(ids))
    if selected and not any(app_ids.values()):
        raise ValidationFailed(
            "customChannels: select at least one app",
            "customChannelSelection needs the ids of senders",
            field="customChannels",
        )
    return app_ids


def senders_among(selected: bool, custom_channels: Values) -> list[str] | None:
    """Return the ids of the apps that may send; None: all. Raises as read_channels."""
    app_ids = read_channels(selected, custom_channels)
    return [id for ids in app_ids.values() for id in ids] if selected else None
