"""The demo's second pipeline, its reasons for losses, and the places of leads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from accounts.models import Member
from core.text.json import format_iso
from crm.leads.models import Lead, StageChange
from crm.leads.places import start_of
from crm.leads.relations import Relations
from crm.leads.services import update_lead
from crm.pipelines.models import LostReason, Stage
from crm.pipelines.services import StageInput, create_pipeline, save_reason

NAME = "Wholesale"
STAGES = (
    StageInput("Inquiry", kind="open", probability=10),
    StageInput("Samples sent", kind="open", probability=35),
    StageInput("Terms agreed", kind="open", probability=75),
    StageInput("First order", kind="won"),
    StageInput("Declined", kind="lost"),
)
REASONS = ("Price", "Chose another roaster", "No budget this year", "No answer")
EVERY = 4
"""Each lead of so many is a wholesale lead."""


def add_pipeline(member: Member, leads: Sequence[str]) -> None:
    """Add the pipeline, the reasons, and the expected closes of leads. Lost leads get a reason."""
    pipeline = create_pipeline(actor_id=member.pk, name=NAME, stages=STAGES)
    reasons = [save_reason(actor_id=member.pk, name=name).pk for name in REASONS]
    stages = list(Stage.objects.filter(pipeline=pipeline).order_by("position").values_list("pk", flat=True))
    today = timezone.localdate()
    lost_leads = set(Lead.objects.filter(pk__in=leads, status="lost").values_list("pk", flat=True))
    for place, lead in enumerate(leads):
        stage = stages[place // EVERY % len(stages)] if place % EVERY == 0 else None
        is_lost = stage == stages[-1] or (stage is None and lead in lost_leads)
        relations = Relations(
            expected_close_at=format_iso(start_of(today + timedelta(days=6 + 11 * (place % 13)))),
            **({"stage": stage} if stage else {}),
            **({"lost_reason": reasons[place % len(reasons)]} if is_lost else {}),
        )
        update_lead(id=lead, actor_id=member.pk, form_data={}, relations=relations, automation=False)


def date_moves(leads: Sequence[Lead]) -> None:
    """Date the moves of leads back to the change of their status."""
    for lead in leads:
        moves = list(StageChange.objects.filter(lead=lead).order_by("changed_at"))
        entered = lead.created_at
        for place, move in enumerate(moves, start=1):
            end = lead.status_changed_at or timezone.now()
            changed = lead.created_at + (end - lead.created_at) * place / len(moves)
            StageChange.objects.filter(pk=move.pk).update(changed_at=changed, entered_at=entered)
            entered = changed


def reason_ids() -> list[str]:
    """Return the reasons of the demo."""
    return list(LostReason.objects.order_by("pk").values_list("pk", flat=True))
