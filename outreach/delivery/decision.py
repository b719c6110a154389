"""Decides whether a message is sent now, waits, or is never sent: one pure function, for sending and explaining.

The first reason that applies decides. Final reasons come first, then those that need a person, then those that need
time.

| Reason                | Decision           | Holds until                                      |
|-----------------------|--------------------|--------------------------------------------------|
| run_cancelled         | stop, cancelled    |                                                  |
| contact_deleted       | stop, cancelled    |                                                  |
| address_suppressed    | stop, suppressed   |                                                  |
| unsubscribed          | stop, suppressed   |                                                  |
| reply_received        | stop, cancelled    |                                                  |
| no_valid_address      | stop, failed       |                                                  |
| attempts_exhausted    | stop, failed       |                                                  |
| subscription_lapsed   | wait for a person  | the subscription is renewed                      |
| awaiting_approval     | wait for a person  | somebody approves the draft                      |
| sender_missing        | wait for a person  | a sender is connected                            |
| sender_inactive       | wait for a person  | the sender is switched on                        |
| sender_unverified     | wait for a person  | the sender's connection test passes              |
| scheduled_for_later   | wait               | the planned time                                 |
| retry_backoff         | wait               | the next attempt is due                          |
| limit_day_ramp        | wait               | the new sender's next day, with its higher limit |
| limit_day             | wait               | a slot of the sender's day opens                 |
| limit_hour            | wait               | a slot of the sender's hour opens                |
| limit_minute          | wait               | a slot of the sender's minute opens              |
| outside_window        | wait               | the window opens at the recipient's place        |
"""

import datetime as dt
import random
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from core.text.formats import Formats
from outreach.delivery.windows import Place, Window, next_opening

MAX_ATTEMPTS = 5
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
    NO_VALID_ADDRESS = "no_valid_address"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    SUBSCRIPTION_LAPSED = "subscription_lapsed"
    AWAITING_APPROVAL = "awaiting_approval"
    SENDER_MISSING = "sender_missing"
    SENDER_INACTIVE = "sender_inactive"
    SENDER_UNVERIFIED = "sender_unverified"
    SCHEDULED_FOR_LATER = "scheduled_for_later"
    RETRY_BACKOFF = "retry_backoff"
    LIMIT_DAY_RAMP = "limit_day_ramp"
    LIMIT_DAY = "limit_day"
    LIMIT_HOUR = "limit_hour"
    LIMIT_MINUTE = "limit_minute"
    OUTSIDE_WINDOW = "outside_window"


SENTENCES: dict[Reason, str] = {
    Reason.RUN_CANCELLED: "The run that this message belongs to was cancelled.",
    Reason.CONTACT_DELETED: "The contact was deleted.",
    Reason.ADDRESS_SUPPRESSED: "The address is on the list of addresses that are never written to.",
    Reason.UNSUBSCRIBED: "The contact has unsubscribed.",
    Reason.REPLY_RECEIVED: "The contact has replied, so nothing more is sent by itself.",
    Reason.NO_VALID_ADDRESS: "The contact has no valid e-mail address.",
    Reason.ATTEMPTS_EXHAUSTED: f"All {MAX_ATTEMPTS} attempts failed.",
    Reason.SUBSCRIPTION_LAPSED: "The company's subscription has ended; the message goes once it is renewed.",
    Reason.AWAITING_APPROVAL: "The message is a draft and waits for approval.",
    Reason.SENDER_MISSING: "No sender is connected that could send this message.",
    Reason.SENDER_INACTIVE: "The sender is switched off.",
    Reason.SENDER_UNVERIFIED: "The sender has not passed its connection test.",
    Reason.SCHEDULED_FOR_LATER: "The message is planned for later.",
    Reason.RETRY_BACKOFF: "The last attempt failed for the time being; the next one is due later.",
    Reason.LIMIT_DAY_RAMP: "The sender is new and has reached today's limit, which grows from day to day.",
    Reason.LIMIT_DAY: "The sender has reached its limit per day.",
    Reason.LIMIT_HOUR: "The sender has reached its limit per hour.",
    Reason.LIMIT_MINUTE: "The sender has reached its limit per minute.",
    Reason.OUTSIDE_WINDOW: "It is outside the sending hours at the recipient's place.",
}

OTHER_SENTENCES = {
    "bad_address": "The mail server says that there is no such address.",
    "changed_since_claim": "Something changed while it was about to go; it is decided again.",
    "compose_failed": "No text could be written for this contact.",
    "declined": "A person has decided against it.",
    "erased": "The contact's data were erased.",
    "invalid_message": "No mail can be made of this message.",
    "rejected": "The mail server refused it.",
    "uncertain": "The connection broke while it was going; nobody knows whether it arrived.",
    "worker_died": "The service stopped while it was at work on it.",
    "worker_failed": "The service could not go on with it, and tries again.",
}
"""Code -> sentence, of the reasons that the decision does not give."""


def sentence_of(reason: str) -> str:
    """Return the sentence of a reason's code; empty for none."""
    return (SENTENCES | OTHER_SENTENCES).get(reason, reason.replace("_", " ").capitalize())


@dataclass(frozen=True, slots=True)
class Limit:
    """How many messages a sender may send in a period, how many it has sent, and when the next slot opens."""

    reason: Literal[Reason.LIMIT_DAY_RAMP, Reason.LIMIT_DAY, Reason.LIMIT_HOUR, Reason.LIMIT_MINUTE]
    allowed: int
    used: int
    opens_at: dt.datetime


@dataclass(frozen=True, slots=True)
class SenderState:
    """The state of a message's sender."""

    active: bool = True
    verified: bool = True
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionInput:
    """Everything that the decision depends on. Datetimes are aware."""

    run_cancelled: bool = False
    contact_deleted: bool = False
    suppressed: bool = False
    unsubscribed: bool = False
    replied: bool = False
    address_valid: bool = True
    attempts: int = 0  # that failed so far
    subscription_active: bool = True
    approved: bool = True
    sender: SenderState | None = SenderState()
    not_before: dt.datetime | None = None
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


@dataclass(frozen=True, slots=True)
class Stop:
    """The message is never sent and ends in this state."""

    state: Literal["cancelled", "suppressed", "failed"]
    reason: Reason

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return SENTENCES[self.reason]


Decision = Ready | Wait | Stop


def decide(known: DecisionInput, now: dt.datetime) -> Decision:
    """Decide about a message. A `Wait.until` is always later than `now`."""
    return _final(known) or _needs_a_person(known) or _needs_time(known, now) or Ready()


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


def _final(known: DecisionInput) -> Stop | None:
    if known.run_cancelled:
        return Stop("cancelled", Reason.RUN_CANCELLED)
    if known.contact_deleted:
        return Stop("cancelled", Reason.CONTACT_DELETED)
    if known.suppressed:
        return Stop("suppressed", Reason.ADDRESS_SUPPRESSED)
    if known.unsubscribed:
        return Stop("suppressed", Reason.UNSUBSCRIBED)
    if known.replied:
        return Stop("cancelled", Reason.REPLY_RECEIVED)
    if not known.address_valid:
        return Stop("failed", Reason.NO_VALID_ADDRESS)
    if known.attempts >= MAX_ATTEMPTS:
        return Stop("failed", Reason.ATTEMPTS_EXHAUSTED)
    return None


def _needs_a_person(known: DecisionInput) -> Wait | None:
    if not known.subscription_active:
        return Wait(Reason.SUBSCRIPTION_LAPSED, None)
    if not known.approved:
        return Wait(Reason.AWAITING_APPROVAL, None)
    if known.sender is None:
        return Wait(Reason.SENDER_MISSING, None)
    if not known.sender.active:
        return Wait(Reason.SENDER_INACTIVE, None)
    if not known.sender.verified:
        return Wait(Reason.SENDER_UNVERIFIED, None)
    return None


_LIMITS_IN_ORDER = (Reason.LIMIT_DAY_RAMP, Reason.LIMIT_DAY, Reason.LIMIT_HOUR, Reason.LIMIT_MINUTE)


def _needs_time(known: DecisionInput, now: dt.datetime) -> Wait | None:
    if known.not_before and known.not_before > now:
        return Wait(Reason.SCHEDULED_FOR_LATER, known.not_before)
    if known.retry_at and known.retry_at > now:
        return Wait(Reason.RETRY_BACKOFF, known.retry_at)
    limits = known.sender.limits if known.sender else ()
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
