"""Undo a merge: restore the records, except for later changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.text.formats import moment_text
from crm.bulk_jobs.history import journal
from crm.merging.models import Merge
from crm.merging.references import move_back
from crm.records.kinds import RecordKind
from crm.records.types import RECORD_TYPES

REFUSED = "BadRequest_400"


@dataclass(frozen=True, slots=True)
class KeptChange:
    """A change since the merge, which therefore stays: of a record's values, or of a row's reference."""

    resource: str
    id: str
    names: list[str]


@dataclass(frozen=True, slots=True)
class Undone:
    """A merge that has been undone."""

    winner: str
    losers: list[str]
    kept: list[KeptChange] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)
    """The records that have another place, since their own has been deleted."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no merge of the company and panel."""
    return NamedError("NotFound_404", "there is no such merge in this company", field="id")


def undo_merge(*, panel: str, id: str, actor_id: str, automation: bool = True) -> Undone:
    """Restore the records to their versions before the merge. Emits contact.unmerged or lead.unmerged.

    Raises NotFound_404 and PlanLimitExceeded_403. Raises BadRequest_400 if the merge is undone or too old, or one of
    the records has been deleted, merged again or erased. Raises ContactAlreadyExists_400 if another contact has the
    unique key of one of them.
    """
    what = RECORD_TYPES[panel]
    kind = what.kind
    with transaction.atomic():
        # The same locks as the merge takes, in the same order.
        what.schema.load().lock_for_merge()
        merge = Merge.objects.select_for_update(of=("self",)).filter(pk=id, panel=panel).first()
        if merge is None:
            raise not_found()
        losers = list(merge.loser_ids)
        reserve_quota(panel, _check(kind, merge))
        restored = journal.restore(kind, journal.Source.merge(merge.pk), [merge.winner_id, *losers], actor_id=actor_id)
        # All or nothing: a merge that is undone for some of its records would leave nobody a way back.
        if restored.taken:
            lost, part = next(iter(restored.taken.items()))
            raise NamedError(
                kind.exists,
                f"what {lost} had belongs to another {kind.singular} by now; change or merge that one first",
                field=part,
            )
        elsewhere = move_back(kind, merge.winner_id, merge.moved)
        merge.undone_at = timezone.now()
        merge.undone_by_id = actor_id
        merge.save(update_fields=["undone_at", "undone_by", "updated_at"])
        payload = {panel: merge.winner_id, "losers": losers}
        emit(
            f"{panel}.unmerged",
            [merge.winner_id],
            payloads={merge.winner_id: payload},
            actor_id=actor_id,
            automation=automation,
        )
        kept = [KeptChange(panel, record, names) for record, names in sorted(restored.kept.items())]
        for reference, rows in sorted(elsewhere.items()):
            # After the losers exist again, since the references need their targets.
            _, resource, name = reference.split(".")
            kept += [KeptChange(resource, row, [name]) for row in rows]
        return Undone(merge.winner_id, losers, kept, list(dict.fromkeys(restored.placed)))


def _check(kind: RecordKind, merge: Merge) -> int:
    """Refuse a merge that cannot be undone. Returns the number of records that come back."""
    if merge.undone_at is not None:
        raise NamedError(REFUSED, "the merge has been undone already", field="id")
    if merge.undo_until <= timezone.now():
        raise NamedError(REFUSED, f"the merge could be undone until {moment_text(merge.undo_until)}", field="id")
    ids = [merge.winner_id, *merge.loser_ids]
    # By id, as merges lock them, so that an undo and a merge cannot deadlock.
    rows = kind.model._default_manager.filter(pk__in=ids).select_for_update(of=("self",), no_key=True).order_by("pk")
    states = {id: (deleted, into) for id, deleted, into in rows.values_list("pk", "is_deleted", "merged_into_id")}
    noun = kind.singular
    erased = next((id for id in ids if id not in states), None)
    if erased is not None:
        raise NamedError(REFUSED, f"a {noun} of the merge has been erased", field="id")
    deleted, into = states[merge.winner_id]
    if deleted:
        went = f"merged into {into}; undo that merge first" if into else "deleted; it has to be restored first"
        raise NamedError(REFUSED, f"the {noun} has been {went}", field="id")
    return sum(states[id][0] for id in merge.loser_ids)
