"""delivery.deciding.decision: every reason on its own, their precedence, and what holds for all facts."""

import dataclasses
import datetime as dt
import itertools
import random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outreach.messaging.delivery.deciding import decision
from outreach.messaging.delivery.deciding.decision import (
    Decision,
    DecisionInput,
    Limit,
    Ready,
    SenderState,
    Stop,
    Wait,
    backoff,
    decide,
    forecast,
    ramp_limit,
)
from outreach.messaging.delivery.deciding.reasons import MAX_ATTEMPTS, SENTENCES, Reason
from outreach.messaging.delivery.limits.windows import Place, Window

NOW = dt.datetime(2026, 6, 3, 10, 0, tzinfo=dt.UTC)  # a Wednesday
LATER = NOW + dt.timedelta(minutes=30)
BERLIN = Place(ZoneInfo("Europe/Berlin"), "contact")
TOKYO = Place(ZoneInfo("Asia/Tokyo"), "contact")


def limited(reason: Reason, opens_at: dt.datetime = LATER, used: int = 10) -> SenderState:
    return SenderState(limits=(Limit(reason, 10, used, opens_at),))  # type: ignore[arg-type]


# In order of precedence, as in the table of the module.
ROWS: list[tuple[dict[str, object], Decision]] = [
    ({"run_cancelled": True}, Stop("cancelled", Reason.RUN_CANCELLED)),
    ({"contact_deleted": True}, Stop("cancelled", Reason.CONTACT_DELETED)),
    ({"suppressed": True}, Stop("suppressed", Reason.ADDRESS_SUPPRESSED)),
    ({"unsubscribed": True}, Stop("suppressed", Reason.UNSUBSCRIBED)),
    ({"replied": True}, Stop("cancelled", Reason.REPLY_RECEIVED)),
    ({"stopped": Reason.BOUNCED}, Stop("cancelled", Reason.BOUNCED)),
    ({"stopped": Reason.LEAD_WON}, Stop("cancelled", Reason.LEAD_WON)),
    ({"stopped": Reason.LEAD_LOST}, Stop("cancelled", Reason.LEAD_LOST)),
    ({"address_valid": False}, Stop("failed", Reason.NO_VALID_ADDRESS)),
    ({"session_ends_at": NOW}, Stop("failed", Reason.SESSION_CLOSED)),
    ({"attempts": MAX_ATTEMPTS}, Stop("failed", Reason.ATTEMPTS_EXHAUSTED)),
    ({"subscription_active": False}, Wait(Reason.SUBSCRIPTION_LAPSED, None)),
    ({"unwritten": Reason.NOT_WRITTEN, "written_at": LATER}, Wait(Reason.NOT_WRITTEN, LATER)),
    ({"unwritten": Reason.AI_LIMIT_REACHED, "written_at": LATER}, Wait(Reason.AI_LIMIT_REACHED, LATER)),
    ({"unwritten": Reason.AI_BUSY, "written_at": LATER}, Wait(Reason.AI_BUSY, LATER)),
    ({"unwritten": Reason.AI_TROUBLE, "written_at": LATER}, Wait(Reason.AI_TROUBLE, LATER)),
    ({"unwritten": Reason.WRITTEN_ANEW, "written_at": LATER}, Wait(Reason.WRITTEN_ANEW, LATER)),
    ({"unwritten": Reason.AWAITING_WINNER, "written_at": LATER}, Wait(Reason.AWAITING_WINNER, None)),
    ({"run_paused": True}, Wait(Reason.RUN_PAUSED, None)),
    ({"approved": False}, Wait(Reason.AWAITING_APPROVAL, None)),
    ({"as_approved": False}, Wait(Reason.APPROVAL_OUTDATED, None)),
    ({"approval_ends_at": NOW}, Wait(Reason.APPROVAL_EXPIRED, None)),
    ({"template_approved": False}, Wait(Reason.TEMPLATE_NOT_APPROVED, None)),
    ({"sender": None}, Wait(Reason.SENDER_MISSING, None)),
    ({"sender": SenderState(active=False)}, Wait(Reason.SENDER_INACTIVE, None)),
    ({"sender": SenderState(verified=False)}, Wait(Reason.SENDER_UNVERIFIED, None)),
    ({"sender": SenderState(stopped=True)}, Wait(Reason.SENDER_STOPPED, None)),
    ({"not_before": LATER}, Wait(Reason.SCHEDULED_FOR_LATER, LATER)),
    ({"quota_at": LATER, "quota": Reason.LIMIT_DOMAIN}, Wait(Reason.LIMIT_DOMAIN, LATER)),
    ({"quota_at": LATER, "quota": Reason.LIMIT_VENDOR}, Wait(Reason.LIMIT_VENDOR, LATER)),
    ({"quota_at": LATER, "quota": Reason.LIMIT_PLAN}, Wait(Reason.LIMIT_PLAN, LATER)),
    ({"retry_at": LATER}, Wait(Reason.RETRY_BACKOFF, LATER)),
    ({"sender": limited(Reason.LIMIT_DAY_RAMP)}, Wait(Reason.LIMIT_DAY_RAMP, LATER)),
    ({"sender": limited(Reason.LIMIT_DAY)}, Wait(Reason.LIMIT_DAY, LATER)),
    ({"sender": limited(Reason.LIMIT_HOUR)}, Wait(Reason.LIMIT_HOUR, LATER)),
    ({"sender": limited(Reason.LIMIT_MINUTE)}, Wait(Reason.LIMIT_MINUTE, LATER)),
    ({"pace": Limit(Reason.LIMIT_CAMPAIGN, 10, 10, LATER)}, Wait(Reason.LIMIT_CAMPAIGN, LATER)),
    ({"window": Window(), "place": TOKYO}, Wait(Reason.OUTSIDE_WINDOW, dt.datetime(2026, 6, 4, 0, 0, tzinfo=dt.UTC))),
]


@pytest.mark.parametrize(("facts", "expected"), ROWS, ids=lambda value: "")
def test_each_reason(facts: dict[str, object], expected: Decision) -> None:
    assert decide(DecisionInput(**facts), NOW) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(ROWS, 2)), ids=lambda value: "")
def test_the_earlier_row_wins(
    first: tuple[dict[str, object], Decision], second: tuple[dict[str, object], Decision]
) -> None:
    merged = {**second[0], **first[0]}
    senders = [row[0]["sender"] for row in (first, second) if isinstance(row[0].get("sender"), SenderState)]
    if "sender" in first[0] and "sender" in second[0] and len(senders) == 2:
        one, two = senders
        assert isinstance(one, SenderState)
        assert isinstance(two, SenderState)
        merged["sender"] = SenderState(
            one.active and two.active,
            one.verified and two.verified,
            two.limits + one.limits,
            one.stopped or two.stopped,
        )
    assert decide(DecisionInput(**merged), NOW) == first[1]  # type: ignore[arg-type]


def test_the_table_names_each_reason_in_order_and_each_has_words() -> None:
    documented = [
        line.split("|")[1].strip() for line in (decision.__doc__ or "").splitlines() if line.startswith("| ")
    ][1:]
    assert documented == [reason.value for reason in Reason]
    assert [row[1].reason for row in ROWS if not isinstance(row[1], Ready)] == list(Reason)
    assert set(Reason) <= set(SENTENCES)


@pytest.mark.parametrize(
    "facts",
    [
        DecisionInput(),
        DecisionInput(attempts=MAX_ATTEMPTS - 1, retry_at=NOW, not_before=NOW),
        DecisionInput(sender=limited(Reason.LIMIT_DAY, used=9)),
        DecisionInput(sender=limited(Reason.LIMIT_DAY, opens_at=NOW)),
        DecisionInput(window=Window(), place=BERLIN),
    ],
)
def test_ready(facts: DecisionInput) -> None:
    assert decide(facts, NOW) == Ready()


def test_forecast_follows_one_wait_after_another() -> None:
    evening = dt.datetime(2026, 6, 5, 18, 0, tzinfo=dt.UTC)  # a Friday
    monday = dt.datetime(2026, 6, 8, 7, 0, tzinfo=dt.UTC)
    facts = DecisionInput(not_before=evening, window=Window(), place=BERLIN, sender=limited(Reason.LIMIT_HOUR))
    assert forecast(facts, NOW) == monday
    assert forecast(DecisionInput(), NOW) == NOW
    assert forecast(DecisionInput(approved=False), NOW) is None
    assert forecast(decision.approved(DecisionInput(approved=False, not_before=LATER)), NOW) == LATER
    assert forecast(DecisionInput(suppressed=True), NOW) is None


moments = st.datetimes(dt.datetime(2026, 1, 1), dt.datetime(2027, 1, 1), timezones=st.just(dt.UTC))
limits = st.builds(
    Limit,
    st.sampled_from([Reason.LIMIT_DAY_RAMP, Reason.LIMIT_DAY, Reason.LIMIT_HOUR, Reason.LIMIT_MINUTE]),
    st.integers(0, 3),
    st.integers(0, 4),
    moments,
)
often_true = st.sampled_from([True, True, True, False])
all_facts = st.builds(
    DecisionInput,
    **{
        name: often_true.map(lambda value: not value)
        for name in ("run_cancelled", "contact_deleted", "suppressed", "unsubscribed", "replied")
    },
    **dict.fromkeys(("address_valid", "subscription_active", "approved"), often_true),
    attempts=st.integers(0, MAX_ATTEMPTS),
    sender=st.none() | st.builds(SenderState, often_true, often_true, st.lists(limits, max_size=4).map(tuple)),
    not_before=st.none() | moments,
    quota_at=st.none() | moments,
    retry_at=st.none() | moments,
    window=st.none() | st.builds(Window, st.frozensets(st.integers(0, 6), min_size=1), st.times(), st.times()),
    place=st.sampled_from([BERLIN, TOKYO]),
)
can_go = all_facts.map(
    lambda facts: dataclasses.replace(
        facts,
        run_cancelled=False,
        contact_deleted=False,
        suppressed=False,
        unsubscribed=False,
        replied=False,
        address_valid=True,
        attempts=0,
    )
)


@given(all_facts, moments)
def test_a_wait_ends_later_and_never_repeats_itself_at_its_end(facts: DecisionInput, now: dt.datetime) -> None:
    decided = decide(facts, now)
    if isinstance(decided, Wait) and decided.until is not None:
        assert decided.until > now
        after = decide(facts, decided.until)
        assert isinstance(after, Ready) or (
            isinstance(after, Wait) and (after.reason, after.until) != (decided.reason, decided.until)
        )


@given(all_facts, moments, moments)
def test_a_stop_is_final(facts: DecisionInput, now: dt.datetime, other: dt.datetime) -> None:
    decided = decide(facts, now)
    if isinstance(decided, Stop):
        assert decide(facts, other) == decided


@given(can_go, moments)
def test_a_forecast_is_a_moment_at_which_it_goes(facts: DecisionInput, now: dt.datetime) -> None:
    facts = dataclasses.replace(
        facts,
        subscription_active=True,
        approved=True,
        sender=dataclasses.replace(facts.sender or SenderState(), active=True, verified=True),
    )
    moment = forecast(facts, now)
    assert moment is not None
    assert moment >= now
    assert decide(facts, moment) == Ready()


@given(all_facts, moments)
def test_whoever_said_no_is_never_written_to(facts: DecisionInput, now: dt.datetime) -> None:
    for change in ({"suppressed": True}, {"unsubscribed": True}):
        assert isinstance(decide(dataclasses.replace(facts, **change), now), Stop)


@pytest.mark.parametrize(("day", "limit"), [(-1, 0), (0, 20), (1, 35), (2, 50), (10, 60), (5000, 60)])
def test_ramp_limit(day: int, limit: int) -> None:
    first = dt.date(2026, 1, 30)
    assert ramp_limit(first, first + dt.timedelta(days=day), start=20, step=15, cap=60) == limit


def test_ramp_limit_never_exceeds_its_cap_nor_falls_below_nothing() -> None:
    day = dt.date(2026, 1, 1)
    assert ramp_limit(day, day, start=100, step=5, cap=30) == 30
    assert ramp_limit(day, day + dt.timedelta(days=9), start=10, step=-5, cap=30) == 0


@given(st.integers(1, 50), st.randoms(use_true_random=False))
def test_backoff_grows_by_four_and_spreads(attempt: int, rng: random.Random) -> None:
    minutes = 2 * 4 ** (min(attempt, MAX_ATTEMPTS) - 1)
    assert dt.timedelta(minutes=0.75 * minutes) <= backoff(attempt, rng) <= dt.timedelta(minutes=1.25 * minutes)


def test_backoff_differs_between_messages() -> None:
    rng = random.Random(1)
    assert len({backoff(1, rng) for _ in range(20)}) == 20
    with pytest.raises(ValueError, match="from 1"):
        backoff(0, rng)
