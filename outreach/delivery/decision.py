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
| attempts_exhausted    | stop, failed       |                                                  |
| subscription_lapsed   | wait for a person  | the subscription is renewed                      |
| not_written           | wait               | a worker writes it, within a minute              |
| ai_limit_reached      | wait               | the next month, or somebody raises the cap       |
| ai_trouble            | wait               | the next try                                     |
| written_anew          | wait               | a worker has written it                          |
| awaiting_winner       | wait               | the winner of the campaign's test is chosen      |
| run_paused            | wait for a person  | somebody resumes the campaign                    |
| awaiting_approval     | wait for a person  | somebody approves the draft                      |
| approval_outdated     | wait for a person  | somebody approves it again; a claim makes a draft of it |
| approval_expired      | wait for a person  | somebody approves it again; a claim makes a draft of it |
| sender_missing        | wait for a person  | a sender is connected                            |
| sender_inactive       | wait for a person  | the sender is switched on                        |
| sender_unverified     | wait for a person  | the sender's connection test passes              |
| sender_stopped        | wait for a person  | somebody resumes the sender (guardrails)         |
| scheduled_for_later   | wait               | the planned time                                 |
| limit_domain          | wait               | more may go to the recipient's mail provider     |
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
from enum import StrEnum
from typing import Any, Literal

from core.text.formats import Formats
from outreach.delivery.limits.windows import Place, Window, next_opening

MAX_ATTEMPTS = 5
FinalState = Literal["cancelled", "suppressed", "failed"]
_BACKOFF_FIRST = dt.timedelta(minutes=2)
_BACKOFF_FACTOR = 4
_FORECAST_STEPS = 50


class Reason(StrEnum):
    """Why a message is not sent now. The codes are stable and part of the API."""

    RUN_CANCELLED = "run_cancelled"
    CONTACT_DELETED = "contact_deleted"
    ADDRESS_SUPPRESSED = "address_suppressed"
    UNSUBSCRIBED = "unsubscribed"
    REPLY_RECEIVED = "reply_received"
    BOUNCED = "bounced"
    LEAD_WON = "lead_won"
    LEAD_LOST = "lead_lost"
    NO_VALID_ADDRESS = "no_valid_address"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    SUBSCRIPTION_LAPSED = "subscription_lapsed"
    NOT_WRITTEN = "not_written"
    AI_LIMIT_REACHED = "ai_limit_reached"
    AI_TROUBLE = "ai_trouble"
    WRITTEN_ANEW = "written_anew"
    AWAITING_WINNER = "awaiting_winner"
    RUN_PAUSED = "run_paused"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVAL_OUTDATED = "approval_outdated"
    APPROVAL_EXPIRED = "approval_expired"
    SENDER_MISSING = "sender_missing"
    SENDER_INACTIVE = "sender_inactive"
    SENDER_UNVERIFIED = "sender_unverified"
    SENDER_STOPPED = "sender_stopped"
    SCHEDULED_FOR_LATER = "scheduled_for_later"
    LIMIT_DOMAIN = "limit_domain"
    RETRY_BACKOFF = "retry_backoff"
    LIMIT_DAY_RAMP = "limit_day_ramp"
    LIMIT_DAY = "limit_day"
    LIMIT_HOUR = "limit_hour"
    LIMIT_MINUTE = "limit_minute"
    LIMIT_CAMPAIGN = "limit_campaign"
    OUTSIDE_WINDOW = "outside_window"


SENTENCES: dict[Reason, str] = {
    Reason.RUN_CANCELLED: "The run that this message belongs to was cancelled.",
    Reason.CONTACT_DELETED: "The contact was deleted.",
    Reason.ADDRESS_SUPPRESSED: "The address is on the do-not-contact list.",
    Reason.UNSUBSCRIBED: "The contact has unsubscribed.",
    Reason.REPLY_RECEIVED: "The contact has replied, so nothing more is sent by itself.",
    Reason.BOUNCED: "The mail server has refused another message to this contact, so no follow-up is sent.",
    Reason.LEAD_WON: "A lead of the contact was won, so no follow-up is sent.",
    Reason.LEAD_LOST: "A lead of the contact was lost, so no follow-up is sent.",
    Reason.NO_VALID_ADDRESS: "The contact has no valid e-mail address.",
    Reason.ATTEMPTS_EXHAUSTED: f"All {MAX_ATTEMPTS} attempts failed.",
    Reason.SUBSCRIPTION_LAPSED: "The company's subscription has ended; the message goes once it is renewed.",
    Reason.NOT_WRITTEN: "It is about to be written.",
    Reason.AI_LIMIT_REACHED: "It is not written yet: a cap of AI use is reached.",
    Reason.AI_TROUBLE: "It is not written yet: the AI app does not work at present, and is tried again.",
    Reason.WRITTEN_ANEW: "It is being rewritten.",
    Reason.AWAITING_WINNER: "It is not written yet: the campaign tests its variants, and the winner writes to it.",
    Reason.RUN_PAUSED: "The campaign is paused; the message goes once somebody resumes it.",
    Reason.AWAITING_APPROVAL: "The message is a draft and waits for approval.",
    Reason.APPROVAL_OUTDATED: (
        "The contact's or the sender's name or address has changed since it was approved; it goes once it is approved"
        " again."
    ),
    Reason.APPROVAL_EXPIRED: "Its approval has expired before it could go; it goes once it is approved again.",
    Reason.SENDER_MISSING: "No sender is connected that could send this message.",
    Reason.SENDER_INACTIVE: "The sender is switched off.",
    Reason.SENDER_UNVERIFIED: "The sender has not passed its connection test.",
    Reason.SENDER_STOPPED: "The sender was stopped, since too much of what it sent came back or was called spam.",
    Reason.SCHEDULED_FOR_LATER: "The message is planned for later.",
    Reason.LIMIT_DOMAIN: "The limit for the recipient's mail provider is reached.",
    Reason.RETRY_BACKOFF: "The last attempt failed for the time being; the next one is due later.",
    Reason.LIMIT_DAY_RAMP: "The sender is new and has reached today's limit, which grows from day to day.",
    Reason.LIMIT_DAY: "The sender has reached its limit per day.",
    Reason.LIMIT_HOUR: "The sender has reached its limit per hour.",
    Reason.LIMIT_MINUTE: "The sender has reached its limit per minute.",
    Reason.LIMIT_CAMPAIGN: "The campaign has reached its limit per hour.",
    Reason.OUTSIDE_WINDOW: "It is outside the sending hours at the recipient's place.",
}

OTHER_SENTENCES = {
    "bad_address": "The mail server says that there is no such address.",
    "came_back": "It came back: the receiving server says that there is no such mailbox.",
    "changed_since_claim": "Something changed while it was about to go; it is decided again.",
    "compose_failed": "No text could be written for this contact.",
    "declined": "A person has decided against it.",
    "edited": "A person has changed its words.",
    "erased": "The contact's data were erased.",
    "invalid_message": "No mail can be made of this message.",
    "rejected": "The mail server refused it.",
    "run_failed": "The outreach could not be prepared to its end, so nothing follows.",
    "sender_trouble": "It was not sent: its sender has trouble and rests. It goes when the sender works again.",
    "uncertain": "The connection broke while it was going; nobody knows whether it arrived.",
    "variable_missing": "The contact has no value for something that the template needs.",
    "vendor_limit": "The mail vendor takes no more at the moment; it goes in a while.",
    "worker_died": "The service stopped while it was at work on it.",
    "worker_failed": "The service could not go on with it, and tries again.",
}
"""Code -> sentence, of the reasons that the decision does not give."""


def sentence_of(reason: str) -> str:
    """Return the sentence of a reason's code; empty for none."""
    return (SENTENCES | OTHER_SENTENCES).get(reason, reason.replace("_", " ").capitalize())


@dataclass(frozen=True, slots=True)
class Limit:
    """How many messages a sender, or a campaign, may send in a period, how many it has sent, and when the next slot
    opens."""

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
    attempts: int = 0  # that failed so far
    subscription_active: bool = True
    unwritten: Reason | None = None  # why it has no words yet, one of context._UNWRITTEN
    written_at: dt.datetime | None = None  # when that is tried again
    approved: bool = True
    as_approved: bool = True  # it would go to whom and from whom it was approved for
    approval_ends_at: dt.datetime | None = None
    sender: SenderState | None = SenderState()
    not_before: dt.datetime | None = None
    quota_at: dt.datetime | None = None  # when more may go to the recipient's mail provider
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


def decide(known: DecisionInput, now: dt.datetime) -> Decision:
    """Decide about a message. A `Wait.until` is always later than `now`."""
    return _final(known) or _needs_a_person(known, now) or _needs_time(known, now) or Ready()


def forecast(known: DecisionInput, now: dt.datetime) -> dt.datetime | None:
    """Return when the message is sent if nothing else happens; None when that needs a person or will never be."""
    moment = now
    for _ in range(_FORECAST_STEPS):
        decision = decide(known, moment)
        if isinstance(decision, Ready):
            return moment
        if isinstance(decision, Stop) or decision.until is None:
            return None
        moment = decision.until
    return None


def describe(known: DecisionInput, now: dt.datetime, formats: Formats) -> dict[str, Any]:
    """Return the decision as the API shows it: state, reason, and when it is decided again and the message is sent."""
    decision: Decision = decide(known, now)
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
    sent_at = forecast(known, now)
    return {
        "state": "wait",
        "reason": decision.reason,
        "sentence": decision.sentence if sent_at is None else f"{decision.sentence} {expected(sent_at, formats)}",
        "until": decision.until,
        "goesAt": sent_at,
    }


def expected(moment: dt.datetime, formats: Formats) -> str:
    """Return a sentence on when the message will be sent."""
    return f"It goes on {formats.datetime(moment)} ({formats.timezone}), if nothing else comes between."


def final_state(reason: str) -> FinalState:
    """Return the status of a message that never goes for the reason."""
    return FINAL_STATES.get(reason, "cancelled")


def _stop(reason: Reason) -> Stop:
    return Stop(final_state(reason), reason)


def _final(known: DecisionInput) -> Stop | None:
    if known.run_cancelled:
        return _stop(Reason.RUN_CANCELLED)
    if known.contact_deleted:
        return _stop(Reason.CONTACT_DELETED)
    if known.suppressed:
        return _stop(Reason.ADDRESS_SUPPRESSED)
    if known.unsubscribed:
        return _stop(Reason.UNSUBSCRIBED)
    if known.replied:
        return _stop(Reason.REPLY_RECEIVED)
    if known.stopped:
        return _stop(known.stopped)
    if not known.address_valid:
        return _stop(Reason.NO_VALID_ADDRESS)
    if known.attempts >= MAX_ATTEMPTS:
        return _stop(Reason.ATTEMPTS_EXHAUSTED)
    return None


def _needs_a_person(known: DecisionInput, now: dt.datetime) -> Wait | None:
    if not known.subscription_active:
        return Wait(Reason.SUBSCRIPTION_LAPSED, None)
    if known.unwritten is Reason.AWAITING_WINNER:
        return Wait(known.unwritten, None)
    if known.unwritten and known.written_at and known.written_at > now:
        return Wait(known.unwritten, known.written_at)
    if known.run_paused:
        return Wait(Reason.RUN_PAUSED, None)
    if not known.approved:
        return Wait(Reason.AWAITING_APPROVAL, None)
    if not known.as_approved:
        return Wait(Reason.APPROVAL_OUTDATED, None)
    if known.approval_ends_at and known.approval_ends_at <= now:
        return Wait(Reason.APPROVAL_EXPIRED, None)
    if known.sender is None:
        return Wait(Reason.SENDER_MISSING, None)
    if not known.sender.active:
        return Wait(Reason.SENDER_INACTIVE, None)
    if not known.sender.verified:
        return Wait(Reason.SENDER_UNVERIFIED, None)
    if known.sender.stopped:
        return Wait(Reason.SENDER_STOPPED, None)
    return None


_LIMITS_IN_ORDER = (
    Reason.LIMIT_DAY_RAMP,
    Reason.LIMIT_DAY,
    Reason.LIMIT_HOUR,
    Reason.LIMIT_MINUTE,
    Reason.LIMIT_CAMPAIGN,
)


def _needs_time(known: DecisionInput, now: dt.datetime) -> Wait | None:
    if known.not_before and known.not_before > now:
        return Wait(Reason.SCHEDULED_FOR_LATER, known.not_before)
    if known.quota_at and known.quota_at > now:
        return Wait(Reason.LIMIT_DOMAIN, known.quota_at)
    if known.retry_at and known.retry_at > now:
        return Wait(Reason.RETRY_BACKOFF, known.retry_at)
    limits = (*(known.sender.limits if known.sender else ()), *((known.pace,) if known.pace else ()))
    for limit in sorted(limits, key=lambda limit: _LIMITS_IN_ORDER.index(limit.reason)):
        if limit.used >= limit.allowed and limit.opens_at > now:
            return Wait(limit.reason, limit.opens_at)
    if known.window:
        if known.place is None:
            raise ValueError("a window needs the recipient's place")
        opening = next_opening(known.window, known.place.zone, now)
        if opening > now:
            return Wait(Reason.OUTSIDE_WINDOW, opening)
    return None


def approved(known: DecisionInput) -> DecisionInput:
    """Return the same input with the draft approved, for previews."""
    return replace(known, approved=True)


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
