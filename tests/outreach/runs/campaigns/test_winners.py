"""Variants of campaigns: who gets which, and the winner that writes to the others."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import time_machine
from django.utils import timezone

from crm.models import Contact
from outreach.messaging.delivery.selectors import decision_of
from outreach.models import GenieScheduler, SendJob
from outreach.runs.campaigns.winners import best_of
from outreach.runs.genie.variants import variant_of
from tests.kit.cast import Cast
from tests.outreach.helpers import work
from tests.outreach.runs.campaigns.helpers import AB, SOON, begun, followed, jobs, made, went


def test_the_winner_by_replies_writes_to_those_who_were_not_in_the_test(cast: Cast, people: dict[str, Any]) -> None:
    rule = {"metric": "replied", "after": SOON, "testShare": 40}
    id = begun(cast, people, variants=AB, winner=rule)
    found = jobs(cast, id)
    assert [one.variant for one in found if one.status == "approved"] == [0, 1, 0, 1]
    waiting = [one for one in found if one.status == "planned"]
    assert {(one.reason, one.variant, one.text) for one in waiting} == {("awaiting_winner", None, "")}
    with cast.scope():
        assert (decision_of(waiting[0]) or {})["reason"] == "awaiting_winner"
    shown = cast.key.get(f"/campaign/{id}").data
    assert (shown["waitingForWinner"], shown["decidesAt"], shown["won"]) == (6, None, {})
    followed()
    assert cast.key.get(f"/campaign/{id}").data["decidesAt"] is None  # the test has not gone
    went(cast, id)
    winners = [one.contact_id for one in found if one.variant == 1]
    with cast.scope():
        later = timezone.now() + timedelta(minutes=5)
        Contact.objects.filter(pk__in=winners).update(replied_at=later)
    followed()
    assert cast.key.get(f"/campaign/{id}").data["decidesAt"] is not None
    followed()
    assert cast.key.get(f"/campaign/{id}").data["won"] == {}
    with time_machine.travel(timezone.now() + timedelta(days=2, minutes=1), tick=False):
        followed()
        work("genie")
        shown = cast.key.get(f"/campaign/{id}").data
    assert (shown["won"]["variant"], shown["won"]["why"], shown["waitingForWinner"]) == ("B", "replied", 0)
    rest = [one for one in jobs(cast, id) if one.status == "approved"]
    assert {(one.subject, one.text, one.variant) for one in rest} == {("Hi", "See you", 1)}
    assert (len(rest), [one["planned"] for one in shown["variantResults"]]) == (6, [2, 8])
    late = cast.key.post(f"/campaign/{id}/winner", {"variant": "A"})
    assert (late.status, late.body["warning"]) == (400, "variant: the winner was chosen: B")


def test_a_winner_by_opens_needs_them_tracked_and_is_the_most_opened(cast: Cast, people: dict[str, Any]) -> None:
    rule = {"metric": "opened", "after": SOON, "testShare": 40}
    cast.key.put("/genie/settings", {"trackOpens": True})
    off = cast.key.post("/campaign", {"name": "Off", **people, "variants": AB, "winner": rule, "trackOpens": False})
    assert (off.status, off.body["warning"]) == (*(400, "winner.metric: turn on tracking of opens, or choose replies"),)
    late = made(cast, people, name="Late", variants=AB, winner=rule)
    id = begun(cast, people, variants=AB, winner=rule, trackClicks=False)
    went(cast, id)
    with cast.scope():
        run = GenieScheduler.objects.get(of_campaign=id)
        assert (run.track_opens, run.track_clicks) == (True, False)
        SendJob.objects.filter(run=run, variant=1).update(open_count=2)
    followed()
    with time_machine.travel(timezone.now() + timedelta(days=2, minutes=1), tick=False):
        followed()
        shown = cast.key.get(f"/campaign/{id}").data
    assert (shown["won"]["variant"], shown["won"]["why"]) == ("B", "opened")
    assert (shown["funnel"]["opened"], shown["funnel"]["clicked"], shown["opened"]) == (2, None, 2)
    cast.key.put("/genie/settings", {"trackOpens": False})
    refused = cast.key.post(f"/campaign/{late}/start")
    assert (refused.status, "turn on tracking of opens in the settings" in refused.body["warning"]) == (400, True)


def test_shares_are_exact_and_a_batch_done_again_gives_the_same() -> None:
    shares = [{"share": 50}, {"share": 30}, {"share": 20}]
    split = [variant_of({"variants": shares, "testShare": None, "chosen": None}, n) for n in range(200)]
    assert [split.count(one) for one in range(3)] == [100, 60, 40]
    assert [split[:10].count(one) for one in range(3)] == [5, 3, 2]
    tested = [variant_of({"variants": shares, "testShare": 7, "chosen": None}, n) for n in range(300)]
    assert (tested[0], sum(one is not None for one in tested)) == (0, 21)
    assert {variant_of({"variants": shares, "testShare": 7, "chosen": 2}, n) for n in range(9)} == {2}
    assert variant_of({}, 3) is None
    half, none = Fraction(1, 2), Fraction(0)
    assert [best_of(one) for one in ([none, half], [none, half, half], [none, none])] == [
        (1, ""),
        (1, "tie"),
        (0, "no_data"),
    ]
