"""Use cases of dashboards: own ones are private, shared ones are visible to all who may read reports."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from core.access import Actor, reserve_quota
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.records.writes.unique_names import save_unique_name
from outreach.insights.reports.models import Dashboard
from outreach.insights.reports.tiles import MAX_TILES, checked_tile, checked_tiles

MODULE = "report"
TAKEN, NOT_FOUND = "DashboardNameAlreadyExists_400", "DashboardNotFound_404"


def visible_dashboards(actor: Actor) -> QuerySet[Dashboard]:
    """Return the actor's own dashboards and those of the company."""
    return Dashboard.objects.filter(Q(created_by=actor.member_id) | Q(shared=True))


def not_found(parameter: str = "id") -> NamedError:
    """Return the error of an id that belongs to no dashboard that the actor sees."""
    return NamedError(NOT_FOUND, "there is no such dashboard of yours or of the company", field=parameter)


@transaction.atomic
def create_dashboard(*, actor: Actor, values: Values) -> Dashboard:
    """Create a dashboard of the actor's. Emits dashboard.created.

    Raises DashboardNameAlreadyExists_400, InvalidInput_400 for its tiles, PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    dashboard = Dashboard(created_by_id=actor.member_id)
    _save(dashboard, actor, values)
    emit("dashboard.created", [dashboard.pk], payloads=_dashboard_names(dashboard), actor_id=actor.member_id)
    return dashboard


@transaction.atomic
def update_dashboard(*, actor: Actor, id: str, values: Values) -> Dashboard:
    """Change the given values of a dashboard; tiles replace those before. Emits dashboard.updated.

    Raises DashboardNotFound_404, and the errors of create_dashboard.
    """
    dashboard = visible_dashboards(actor).select_for_update(of=("self",)).filter(pk=id).first()
    if dashboard is None:
        raise not_found()
    _save(dashboard, actor, values)
    emit("dashboard.updated", [dashboard.pk], payloads=_dashboard_names(dashboard), actor_id=actor.member_id)
    return dashboard


@transaction.atomic
def add_tile(*, actor: Actor, id: str, tile: Values) -> Dashboard:
    """Add a tile to a dashboard, after the others. Emits dashboard.updated.

    Raises DashboardNotFound_404, and InvalidInput_400 for the tile and for a full dashboard.
    """
    dashboard = visible_dashboards(actor).select_for_update(of=("self",)).filter(pk=id).first()
    if dashboard is None:
        raise not_found()
    if len(dashboard.tiles) >= MAX_TILES:
        raise NamedError("InvalidInput_400", f"a dashboard has at most {MAX_TILES}; remove one first", field="tiles")
    dashboard.tiles = [*dashboard.tiles, checked_tile(tile)]
    dashboard.updated_by_id = actor.member_id
    dashboard.save()
    emit("dashboard.updated", [dashboard.pk], payloads=_dashboard_names(dashboard), actor_id=actor.member_id)
    return dashboard


@transaction.atomic
def delete_dashboards(*, actor: Actor, selection: BulkSelection) -> int:
    """Delete the selected dashboards that the actor sees. Returns how many. Emits dashboard.deleted.

    Raises DashboardNotFound_404 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(visible_dashboards(actor)), lock=True):
        Dashboard.objects.filter(pk__in=ids).delete()
        emit("dashboard.deleted", ids, actor_id=actor.member_id)
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise not_found("ids")
    return deleted


def forget_dashboards(member_ids: Sequence[str]) -> None:
    """Delete the dashboards that removed members kept for themselves; those of the company stay."""
    Dashboard.objects.filter(created_by__in=member_ids, shared=False).delete()


def _save(dashboard: Dashboard, actor: Actor, values: Values) -> None:
    for name in ("name", "description", "shared"):
        if name in values:
            setattr(dashboard, name, values[name])
    if "tiles" in values:
        dashboard.tiles = checked_tiles(values["tiles"])
    if not dashboard.shared and dashboard.created_by_id != actor.member_id:
        raise NamedError("InvalidInput_400", "only who made the dashboard can make it their own again", field="shared")
    dashboard.updated_by_id = actor.member_id
    save_unique_name(dashboard, TAKEN)


def _dashboard_names(dashboard: Dashboard) -> JsonObject:
    return {dashboard.pk: {"name": dashboard.name}}
