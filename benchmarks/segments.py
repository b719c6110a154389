"""Segments that something watches: who enters and leaves them, with few and with very many contacts in the company."""

from __future__ import annotations

from statistics import median

from django.db import transaction

from benchmarks.data.population import Population, Tenant
from benchmarks.report import Result
from benchmarks.timing import spent
from core.events.models import Event
from core.lists import BulkSelection
from core.tenancy import company_scope
from crm.contacts.bulk import update_many
from crm.models import Segment
from crm.segments.models import SegmentMember
from crm.segments.services import IdChanges, create_segment
from crm.segments.tracking import compare, track_members

WATCHED, CHANGED, ROUNDS = 10, 500, 10
"""Segments that are watched, contacts that change at once, and how often."""


def segments(population: Population) -> list[Result]:
    """Measure the beginning of a watch, a comparison that finds nothing, and contacts that move between segments."""
    tenant = population.big
    with company_scope(tenant.company_id):
        watched = [_segment(tenant, f"City {n}") for n in range(WATCHED)]
        Segment.objects.filter(pk__in=watched).update(watched_since="2026-01-01T00:00:00Z")
        begun = [spent(lambda id=id: _compare(id, tell=False)) for id in watched]  # type: ignore[misc]
        members = SegmentMember.objects.count()
        again = [spent(lambda id=id: _compare(id, tell=True)) for id in watched]  # type: ignore[misc]
        moved = [_move(tenant, watched, turn) for turn in range(ROUNDS)]
    each = members // WATCHED
    cost = [1e6 * sum(one[1:]) / CHANGED / WATCHED for one in moved]
    return [
        Result(
            "segments: the beginning of a watch",
            f"{each:,} of {tenant.contacts:,} contacts; {_processor(begun)} of processor",
            median(one[0] for one in begun),
            unit="s",
        ),
        Result(
            "segments: a whole comparison that finds nothing",
            f"{_processor(again)} of processor",
            median(one[0] for one in again),
            unit="s",
        ),
        Result(
            f"segments: {CHANGED} changed contacts, {WATCHED} segments",
            f"of processor, a contact and segment ({min(cost):.1f} to {max(cost):.1f}); {CHANGED} enter one, {CHANGED}"
            " leave another",
            median(cost),
            unit="us",
        ),
    ]


@transaction.atomic
def _compare(id: str, *, tell: bool) -> None:
    compare(id, tell=tell)


def _processor(taken: list[tuple[float, float, float]]) -> str:
    return f"{1000 * median(sum(one[1:]) for one in taken):.0f} ms"


def _segment(tenant: Tenant, city: str) -> str:
    tree = {"operator": "and", "conditions": [{"field": "city", "operator": "equals", "value": city}]}
    values = {"name": city, "panel": "contact", "kind": "dynamic"}
    return str(create_segment(actor_id=tenant.member_id, values=values, advanced=tree, ids=IdChanges()).pk)


def _move(tenant: Tenant, watched: list[str], turn: int) -> tuple[float, float, float]:
    """Let contacts go from one watched segment to another, and follow the events of it. Returns what that took."""
    source, target = turn % WATCHED, (turn + 1) % WATCHED
    inside = SegmentMember.objects.filter(segment=watched[source]).order_by("-since", "record_id")
    ids = list(inside.values_list("record_id", flat=True)[:CHANGED])
    form_data = {"city": f"City {target}"}
    update_many(actor_id=tenant.member_id, selection=BulkSelection.of_ids(ids), form_data=form_data)
    events = list(Event.objects.filter(object_id__in=ids, kind="contact.updated").order_by("-sequence")[:CHANGED])

    @transaction.atomic
    def act() -> None:
        track_members(events)

    taken = spent(act)
    told = Event.objects.filter(kind="segment.entered", payload__segment=watched[target], object_id__in=ids)
    assert len(ids) == told.count() == CHANGED
    return taken
