"""Separation of merged records before one of them is erased: each gets its own data back."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from crm.merging.models import Merge
from crm.merging.references import move_back
from crm.records.kinds import RecordKind


def separate(kind: RecordKind, ids: Collection[str]) -> None:
    """Move the references back that merges moved from other records to these, or from these to others.

    Takes the newest merges first, since a winner may have lost a later merge. Call it in the transaction that erases
    the records of the ids; the records themselves stay merged.
    """
    merges = Merge.objects.select_for_update(of=("self",)).filter(
        Q(winner_id__in=ids) | Q(loser_ids__has_any_keys=list(ids)), panel=kind.panel, undone_at=None
    )
    for merge in merges.order_by("-created_at", "-pk"):
        moved = merge.moved
        if merge.winner_id not in ids:
            moved = {
                name: {loser: rows for loser, rows in by_loser.items() if loser in ids}
                for name, by_loser in moved.items()
            }
        move_back(kind, merge.winner_id, moved)
