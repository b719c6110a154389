"""The winner of a campaign's variants: chosen by the rule some time after the test has gone, or by a member.

Contacts outside of the test wait for it without content (awaiting_winner). The choice writes the winner into the run,
gives it to these messages and wakes the run's worker. It does so in one transaction under the lock of the run. Planning
takes the same lock, so that no message is planned that would wait for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from accounts.settings.formats import zone_of_company
from core.errors import ValidationFailed, shorten
from core.spans import add_span
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import REPLIED
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import run_of
from outreach.runs.campaigns.services import get_campaign, state_error
from outreach.runs.genie.cadence.follow_ups import wake
from outreach.runs.genie.locks import lock_run

UNDECIDED = Q(winner={}) & ~Q(winner_rule={})
UNDER_WAY = (*SendJob.TO_SEND, SendJob.Status.SENDING)
"""Statuses of messages of a test that has not gone yet."""
COUNTED = {
    "replied": Count("contact", filter=REPLIED, distinct=True),
    "opened": Count("pk", filter=Q(open_count__gt=0)),
    "clicked": Count("pk", filter=Q(click_count__gt=0)),
}
"""Metric -> the count of a variant's messages for it."""
Status = Campaign.Status


@transaction.atomic
def choose_winner(*, id: str, member_id: str, variant: str) -> None:
    """Choose the winner manually, regardless of the rule.

    Raises CampaignNotFound_404, and ValidationFailed for an unknown variant. Raises CampaignCannotBeUpdated_400 if no
    winner is to be chosen, or messages are still being planned.
    """
    # The campaign before its run, as in all of its changes.
    campaign = get_campaign(id, lock=True)
    names = [entry["name"] for entry in campaign.variants]
    if not names:
        raise state_error("the campaign has no variants to choose from", field="variant")
    if variant not in names:
        unknown = f"variant: there is no {shorten(variant, 60)!r}"
        raise ValidationFailed(unknown, f"there is {', '.join(names)}", field="variant")
    # Chosen once: those who waited have got their words.
    if campaign.winner:
        raise state_error(f"the winner was chosen: {campaign.winner['variant']}", field="variant")
    if not campaign.winner_rule or campaign.status not in (Status.RUNNING, Status.PAUSED):
        raise state_error("the campaign has no test under way", field="variant")
    if not _decide(campaign, names.index(variant), "chosen", member_id):
        raise state_error("its messages are being planned; try again in a minute", field="variant")


@transaction.atomic
def set_decision_time(campaign_id: str) -> None:
    """Write when the winner is chosen, once the last message of the test has gone or ended."""
    campaign = _lock_undecided(campaign_id)
    run = None if campaign is None else run_of(campaign.pk)
    if campaign is None or run is None:
        return
    tested = SendJob.objects.filter(run=run, variant__isnull=False)
    # While planning goes on, the test may still get members.
    if run.planned_at is None or tested.filter(status__in=UNDER_WAY).exists():
        return
    # Counted from the last message, so that the last recipients have as long to answer as the first.
    last = tested.aggregate(last=Max("sent_at"))["last"]
    campaign.decides_at = timezone.now()
    if last:
        campaign.decides_at = add_span(last, campaign.winner_rule["after"], zone_of_company(campaign.company_id))
    campaign.save(update_fields=["decides_at", "updated_at"])


@transaction.atomic
def decide_by_rule(campaign_id: str) -> None:
    """Choose the winner of a campaign whose decision is due, unless it is already chosen."""
    campaign = _lock_undecided(campaign_id)
    run = None if campaign is None else run_of(campaign.pk)
    if campaign is None or run is None or campaign.decides_at is None or campaign.decides_at > timezone.now():
        return
    metric = campaign.winner_rule["metric"]
    sent = SendJob.objects.filter(run=run, variant__isnull=False, status=SendJob.Status.SENT).order_by()
    rows = sent.values_list("variant").annotate(counted=COUNTED[metric], sent=Count("pk"))
    rates = [Fraction(0)] * len(campaign.variants)
    for variant, counted, number in rows:
        # Exact: rates that are equal must be a tie, which floats would decide by rounding.
        rates[variant] = Fraction(counted, number)
    variant, reason = best_of(rates)
    _decide(campaign, variant, reason or metric, None)


def best_of(rates: Sequence[Fraction]) -> tuple[int, str]:
    """Return the variant with the best rate, the first of several, and why it won: no_data, tie, or "" for the rate."""
    best = max(rates)
    reason = ""
    if not best:
        reason = "no_data"
    elif rates.count(best) > 1:
        reason = "tie"
    return rates.index(best), reason


def _lock_undecided(campaign_id: str) -> Campaign | None:
    # Two workers of the periodic task may look at the same campaign.
    undecided = Campaign.objects.select_for_update(of=("self",)).filter(UNDECIDED, pk=campaign_id)
    return undecided.filter(status=Status.RUNNING, is_deleted=False).first()


def _decide(campaign: Campaign, variant: int, reason: str, member_id: str | None) -> bool:
    """Record the winner, with which the other messages are written. Returns False while messages are being planned."""
    campaign_run = run_of(campaign.pk)
    run = lock_run(campaign_run.pk) if campaign_run else None
    # Messages that are planned afterwards read the choice from the run.
    if run is None or run.planned_at is None:
        return False
    now = timezone.now()
    run.content = {**run.content, "chosen": variant}
    run.save(update_fields=["content", "updated_at"])
    waiting = SendJob.objects.filter(run=run, status=SendJob.Status.PLANNED, reason=Reason.AWAITING_WINNER)
    # All of them by one statement, in the transaction that records the choice.
    waiting.update(variant=variant, reason=Reason.NOT_WRITTEN, due_at=now, updated_at=now)
    wake(run)
    campaign.winner = {
        "variant": campaign.variants[variant]["name"],
        "why": reason,
        "at": now.isoformat(),
        "by": member_id,
    }
    campaign.save(update_fields=["winner", "updated_at"])
    return True
