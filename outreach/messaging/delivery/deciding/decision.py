"""Decides whether a message is sent now, waits, or is never sent: one pure function, for sending and explaining.

The first reason that applies decides. Final reasons come first, then those that need a person or an AI app, then those
that need time.

| Reason                | Decision           | Holds until                                      |
|-----------------------|--------------------|--------------------------------------------------|
| run_cancelled         | stop, cancelled    |                                                  |
| contact_deleted       | stop, cancelled    |                                                  |
| address_suppressed    | stop, suppressed   |                                                  |
| unsubscribed          | stop, suppressed   |                                                  |
| reply_received        | stop, cancelled    |                                                  |
| bounced               | stop, cancelled    |                                                  |
| lead_won              | stop, cancelled    |                                                  |
| lead_lost             | stop, cancelled    |                                                  |
| no_valid_address      | stop, failed       |                                                  |
| session_closed        | stop, failed       |                                                  |
| attempts_exhausted    | stop, failed       |                                                  |
| subscription_lapsed   | wait for a person  | the subscription is renewed                      |
| not_written           | wait               | a worker writes it, within a minute              |
| ai_limit_reached      | wait               | the next month, or somebody raises the cap       |
| ai_busy               | wait               | the model's server takes calls again             |
| ai_trouble            | wait               | the next try                                     |
| written_anew          | wait               | a worker has written it                          |
| awaiting_winner       | wait               | the winner of the campaign's test is chosen      |
| run_paused            | wait for a person  | somebody resumes the campaign, or the workflow   |
| awaiting_approval     | wait for a person  | somebody approves the draft                      |
| approval_outdated     | wait for a person  | somebody approves it again; a claim makes a draft of it |
| approval_expired      | wait for a person  | somebody approves it again; a claim makes a draft of it |
| template_not_approved | wait for a person  | the chat vendor approves its template            |
| sender_missing        | wait for a person  | a sender is connected                            |
| sender_inactive       | wait for a person  | the sender is switched on                        |
| sender_unverified     | wait for a person  | the sender's connection test passes              |
| sender_stopped        | wait for a person  | somebody resumes the sender (guardrails)         |
| scheduled_for_later   | wait               | the planned time                                 |
| limit_domain          | wait               | more may go to the recipient's mail provider     |
| limit_vendor          | wait               | more may go by the mail vendor                   |
| limit_plan            | wait               | the plan's next month, or somebody buys more     |
| retry_backoff         | wait               | the next attempt is due                          |
| limit_day_ramp        | wait               | the new sender's next day, with its higher limit |
| limit_day             | wait               | a slot of the sender's day opens                 |
| limit_hour            | wait               | a slot of the sender's hour opens                |
| limit_minute          | wait               | a slot of the sender's minute opens              |
| limit_campaign        | wait               | a slot of the campaign's hour opens              |
| outside_window        | wait               | the window opens at the recipient's place        |
"""

import datetime as dt
import random
from dataclasses import dataclass, replace
from typing import Literal

from django.utils.translation import gettext

from core.text.formats import Formats
from core.types import JsonObject
from outreach.messaging.delivery.deciding.reasons import MAX_ATTEMPTS, SENTENCES, Reason
from outreach.messaging.delivery.limits.windows import Place, Window, next_opening

FinalState = Literal["cancelled", "suppressed", "failed"]
# Greylisting servers (RFC 6647) mostly accept after some minutes; four times longer each time covers an
# outage of hours.
_BACKOFF_FIRST = dt.timedelta(minutes=2)
_BACKOFF_FACTOR = 4
_FORECAST_STEPS = 50
SESSION_HOURS = 24
"""Hours after a person's message in which free text may be sent by chat; later only approved templates."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a sender, or a campaign, in a period, with the number sent and the time of the next slot."""

    reason: Literal[
        Reason.LIMIT_DAY_RAMP, Reason.LIMIT_DAY, Reason.LIMIT_HOUR, Reason.LIMIT_MINUTE, Reason.LIMIT_CAMPAIGN
    ]
    allowed: int
    used: int
    opens_at: dt.datetime


@dataclass(frozen=True, slots=True)
class SenderState:
    """The state of a message's sender."""

    active: bool = True
    verified: bool = True
    limits: tuple[Limit, ...] = ()
    stopped: bool = False  # by its guardrail


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionInput:
    """Everything that the decision depends on. Datetimes are aware."""

    run_cancelled: bool = False
    run_paused: bool = False
    pace: Limit | None = None  # of its campaign
    contact_deleted: bool = False
    suppressed: bool = False
    unsubscribed: bool = False
    replied: bool = False
    stopped: Reason | None = None  # BOUNCED, LEAD_WON or LEAD_LOST: what stops a follow-up
    address_valid: bool = True
    session_ends_at: dt.datetime | None = None  # of free words by chat: until when they may go
    attempts: int = 0  # that failed so far
    subscription_active: bool = True
    unwritten: Reason | None = None  # why it has no words yet, one of context._UNWRITTEN
    written_at: dt.datetime | None = None  # when that is tried again
    approved: bool = True
    as_approved: bool = True  # it would go to whom and from whom it was approved for
    approval_ends_at: dt.datetime | None = None
    template_approved: bool = True  # by the chat vendor, of a message made of one
    sender: SenderState | None = SenderState()
    not_before: dt.datetime | None = None
    quota_at: dt.datetime | None = None  # when more may go to the recipient's mail provider, by the vendor or the plan
    quota: Reason = Reason.LIMIT_DOMAIN  # which of them
    retry_at: dt.datetime | None = None
    window: Window | None = None
    place: Place | None = None  # needed with a window


@dataclass(frozen=True, slots=True)
class Ready:
    """The message may be sent now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The message waits until `until`, or until a person acts when that is None."""

    reason: Reason
    until: dt.datetime | None

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return SENTENCES[self.reason]


FINAL_STATES: dict[str, FinalState] = {
    Reason.ADDRESS_SUPPRESSED: "suppressed",
    Reason.UNSUBSCRIBED: "suppressed",
    Reason.NO_VALID_ADDRESS: "failed",
    Reason.SESSION_CLOSED: "failed",
    Reason.ATTEMPTS_EXHAUSTED: "failed",
}
"""Reason of a Stop -> its state; all others are cancelled."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The message is never sent and ends in this state."""

    state: FinalState
    reason: Reason

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return SENTENCES[self.reason]


Decision = Ready | Wait | Stop


def decide(inputs: DecisionInput, now: dt.datetime) -> Decision:
    """Decide about a message. A `Wait.until` is always later than `now`."""
    return _final(inputs, now) or _needs_a_person(inputs, now) or _needs_time(inputs, now) or Ready()


# Each step repeats the decision at the time that the last one named: no second logic that could disagree.
def forecast(inputs: DecisionInput, now: dt.datetime) -> dt.datetime | None:
    """Return when the message is sent if nothing else happens; None when that needs a person or will never be."""
    moment = now
    # Bounded, since limits and windows could otherwise send the moment on for ever.
    for _ in range(_FORECAST_STEPS):
        decision = decide(inputs, moment)
        if isinstance(decision, Ready):
            return moment
        if isinstance(decision, Stop) or decision.until is None:
            return None
        moment = decision.until
    return None


def describe(inputs: DecisionInput, now: dt.datetime, formats: Formats) -> JsonObject:
    """Return the decision as the API shows it: state, reason, and when it is decided again and the message is sent."""
    decision: Decision = decide(inputs, now)
    if isinstance(decision, Ready):
        return {"state": "ready", "reason": None, "sentence": None, "until": None, "goesAt": now}
    if isinstance(decision, Stop):
        return {
            "state": "stop",
            "reason": decision.reason,
            "sentence": decision.sentence,
            "until": None,
            "goesAt": None,
        }
    sent_at = forecast(inputs, now)
    return {
        "state": "wait",
        "reason": decision.reason,
        "sentence": decision.sentence if sent_at is None else f"{decision.sentence} {expected_text(sent_at, formats)}",
        "until": decision.until,
        "goesAt": sent_at,
    }


def expected_text(moment: dt.datetime, formats: Formats) -> str:
    """Return a sentence on when the message will be sent."""
    return gettext("Expected: %(time)s (%(zone)s).") % {"time": formats.datetime(moment), "zone": formats.timezone}


def final_state(reason: str) -> FinalState:
    """Return the status of a message that never goes for the reason."""
    return FINAL_STATES.get(reason, "cancelled")


def _stop(reason: Reason) -> Stop:
    return Stop(final_state(reason), reason)


def _final(inputs: DecisionInput, now: dt.datetime) -> Stop | None:
    # The order is part of the API: of several reasons people see the one that no waiting can change.
    if inputs.run_cancelled:
        return _stop(Reason.RUN_CANCELLED)
    if inputs.contact_deleted:
        return _stop(Reason.CONTACT_DELETED)
    if inputs.suppressed:
        return _stop(Reason.ADDRESS_SUPPRESSED)
    if inputs.unsubscribed:
        return _stop(Reason.UNSUBSCRIBED)
    if inputs.replied:
        return _stop(Reason.REPLY_RECEIVED)
    if inputs.stopped:
        return _stop(inputs.stopped)
    if not inputs.address_valid:
        return _stop(Reason.NO_VALID_ADDRESS)
    if inputs.session_ends_at and inputs.session_ends_at <= now:
        return _stop(Reason.SESSION_CLOSED)
    if inputs.attempts >= MAX_ATTEMPTS:
        return _stop(Reason.ATTEMPTS_EXHAUSTED)
    return None


def _needs_a_person(inputs: DecisionInput, now: dt.datetime) -> Wait | None:
    # Before approvals: nobody should be asked to approve what cannot go anyway.
    if not inputs.subscription_active:
        return Wait(Reason.SUBSCRIPTION_LAPSED, None)
    # Before the pause of the run: resuming it would not give the message its words.
    if inputs.unwritten is Reason.AWAITING_WINNER:
        return Wait(inputs.unwritten, None)
    if inputs.unwritten and inputs.written_at and inputs.written_at > now:
        return Wait(inputs.unwritten, inputs.written_at)
    if inputs.run_paused:
        return Wait(Reason.RUN_PAUSED, None)
    if not inputs.approved:
        return Wait(Reason.AWAITING_APPROVAL, None)
    if not inputs.as_approved:
        return Wait(Reason.APPROVAL_OUTDATED, None)
    if inputs.approval_ends_at and inputs.approval_ends_at <= now:
        return Wait(Reason.APPROVAL_EXPIRED, None)
    if not inputs.template_approved:
        return Wait(Reason.TEMPLATE_NOT_APPROVED, None)
    if inputs.sender is None:
        return Wait(Reason.SENDER_MISSING, None)
    if not inputs.sender.active:
        return Wait(Reason.SENDER_INACTIVE, None)
    if not inputs.sender.verified:
        return Wait(Reason.SENDER_UNVERIFIED, None)
    if inputs.sender.stopped:
        return Wait(Reason.SENDER_STOPPED, None)
    return None


_LIMITS_IN_ORDER = (
    Reason.LIMIT_DAY_RAMP,
    Reason.LIMIT_DAY,
    Reason.LIMIT_HOUR,
    Reason.LIMIT_MINUTE,
    Reason.LIMIT_CAMPAIGN,
)


def _needs_time(inputs: DecisionInput, now: dt.datetime) -> Wait | None:
    if inputs.not_before and inputs.not_before > now:
        return Wait(Reason.SCHEDULED_FOR_LATER, inputs.not_before)
    if inputs.quota_at and inputs.quota_at > now:
        return Wait(inputs.quota, inputs.quota_at)
    if inputs.retry_at and inputs.retry_at > now:
        return Wait(Reason.RETRY_BACKOFF, inputs.retry_at)
    limits = (*(inputs.sender.limits if inputs.sender else ()), *((inputs.pace,) if inputs.pace else ()))
    # The longest period first: people should read about the day before the minute.
    for limit in sorted(limits, key=lambda limit: _LIMITS_IN_ORDER.index(limit.reason)):
        # A slot that has opened since the count is no reason to wait.
        if limit.used >= limit.allowed and limit.opens_at > now:
            return Wait(limit.reason, limit.opens_at)
    if inputs.window:
        if inputs.place is None:
            # A caller that forgot the place would send at night without anybody noticing.
            raise ValueError("a window needs the recipient's place")
        opening = next_opening(inputs.window, inputs.place.zone, now)
        if opening > now:
            return Wait(Reason.OUTSIDE_WINDOW, opening)
    return None


def approved(inputs: DecisionInput) -> DecisionInput:
    """Return the same input with the draft approved, for previews."""
    return replace(inputs, approved=True)


def ramp_limit(first_day: dt.date, day: dt.date, *, start: int, step: int, cap: int) -> int:
    """Return a new sender's limit on a day: `start` on the first, `step` more on each later one, at most `cap`."""
    if day < first_day:
        return 0
    return max(0, min(cap, start + step * (day - first_day).days))


def backoff(attempt: int, rng: random.Random) -> dt.timedelta:
    """Return the wait after a failed attempt (from 1): about 2, 8, 32 or 128 minutes, randomly a quarter more or less.

    The random part keeps messages that failed together from being tried again together.
    """
    if attempt < 1:
        raise ValueError("attempts count from 1")
    times: int = _BACKOFF_FACTOR ** (min(attempt, MAX_ATTEMPTS) - 1)
    return _BACKOFF_FIRST * times * rng.uniform(0.75, 1.25)
