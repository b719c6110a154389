"""The order of fields and sections within a panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection, models
from django.utils import timezone

from core.errors import NamedError


def reorder(model: type[models.Model], ids: Sequence[str], *, actor_id: str, missing: str) -> list[str]:
    """Reorder records of one panel in the caller's transaction.

    Records that are not named follow in their present order. Returns the ids of all records of the panel. Raises the
    error `missing` for an id that the company lacks, InvalidPanel_400 for several panels.
    """
    objects: Any = model._default_manager
    panels = dict(objects.filter(pk__in=ids).values_list("pk", "panel"))
    unknown = [id for id in ids if id not in panels]
    if unknown:
        raise NamedError(
            missing, f"there is no {model._meta.verbose_name} {', '.join(unknown[:5])} in this company", field="ids"
        )
    if len(set(panels.values())) > 1:
        raise NamedError(
            "InvalidPanel_400", f"they belong to several panels: {', '.join(sorted(set(panels.values())))}", field="ids"
        )
    panel = panels[ids[0]]
    # Locked by id, so that concurrent reorders wait for each other, and the order is read after that.
    list(objects.select_for_update(of=("self",), no_key=True).filter(panel=panel).order_by("pk").values_list("pk"))
    present = list(objects.filter(panel=panel).order_by("order", "created_at", "pk").values_list("pk", flat=True))
    new_order = [*(id for id in ids if id in present), *(id for id in present if id not in panels)]
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE {model._meta.db_table} r SET "order" = new.place, updated_at = %s, updated_by_id = %s'
            " FROM unnest(%s::text[]) WITH ORDINALITY AS new (id, place)"
            ' WHERE r.id = new.id AND r."order" IS DISTINCT FROM new.place',
            [timezone.now(), actor_id, new_order],
        )
    return new_order
