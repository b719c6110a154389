"""Reads over the connected apps of all kinds."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from outreach.connections.connected_apps.registry import CONNECTED_APPS


def counted_apps() -> QuerySet[Any]:
    """Return the ids of the active company's connected apps that count against its plan: the active ones."""
    models = dict.fromkeys(app.model for app in CONNECTED_APPS.values())
    first, *others = [model._default_manager.filter(is_active=True).values("pk") for model in models]
    return first.union(*others, all=True)
