"""Plan limits hold to the last record for requests and imports that come at once."""

from __future__ import annotations

from collections import Counter

import pytest

from accounts.models import ApiKey, Member, Role
from billing.models import Plan
from billing.subscriptions.services import grant_subscription
from core.access import used_quota
from core.jobs.liveness import release_lock
from crm.models import Contact, Tag
from tests.contracts.test_plan_limits import MAKERS, bulk, finished, limit, start
from tests.crm.imports.helpers import counts, people, work
from tests.kit.cast import SESSION, Answer, Caller, make_cast
from tests.kit.threads import at_once

RUSH = 50
MODELS = {"api": ApiKey, "contact": Contact, "tag": Tag, "role": Role}


def refusals(answers: list[Answer]) -> set[tuple[int, str]]:
    return {(answer.status, answer.body["message"]) for answer in answers if answer.status >= 400}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("module", sorted(MODELS))
def test_fifty_posts_at_once_let_exactly_the_limit_through(module: str) -> None:
    """Of two companies at the same time, whose limits have nothing to do with each other."""
    casts = [make_cast(), make_cast()]
    before = []
    for one, more in zip(casts, (7, 4), strict=True):
        with one.scope():
            before.append(used_quota(module))
            limit(one, **{module: before[-1] + more})

    def post(n: int) -> Answer:
        one = casts[n % 2]
        return MAKERS[module](Caller(SESSION, one.session.headers), n)

    answers = at_once(RUSH, None, post)
    for position, more in enumerate((7, 4)):
        mine = answers[position::2]
        assert Counter(answer.status < 300 for answer in mine) == {True: more, False: RUSH // 2 - more}
        assert refusals(mine) == {(403, "Your plan's limit is reached. Choose a larger plan.")}
        with casts[position].scope():
            assert used_quota(module) == MODELS[module].objects.filter().count() == before[position] + more


@pytest.mark.django_db(transaction=True)
def test_fifty_invites_at_once_take_exactly_the_free_seats() -> None:
    cast = make_cast()
    grant_subscription(company_id=cast.company.pk, plan=Plan.objects.create(name="Team", max_seats=5))
    answers = at_once(RUSH, None, lambda n: MAKERS["member"](Caller(SESSION, cast.session.headers), n))
    assert Counter(answer.status for answer in answers) == {201: 3, 400: RUSH - 3}
    with cast.scope():
        assert Member.objects.filter(status=Member.Status.INVITED).count() == 3


@pytest.mark.django_db(transaction=True)
def test_bulk_creations_at_once_fill_the_plan_to_the_last_contact() -> None:
    cast = make_cast()
    limit(cast, contact=123)
    answers = at_once(RUSH, None, lambda n: bulk(Caller(SESSION, cast.session.headers), range(n * 10, n * 10 + 10)))
    assert {answer.status for answer in answers} == {200}
    assert sum(len(answer.data["created"]) for answer in answers) == 123
    assert sum(len(answer.data["failed"]) for answer in answers) == RUSH * 10 - 123
    with cast.scope():
        assert used_quota("contact") == 123


@pytest.mark.django_db(transaction=True)
def test_single_posts_bulk_and_upserts_at_once_share_the_room() -> None:
    cast = make_cast()
    limit(cast, contact=40)

    def post(n: int) -> Answer:
        caller = Caller(SESSION, cast.session.headers)
        if n % 3 == 0:
            return bulk(caller, range(n % 12 * 5, n % 12 * 5 + 5), existingError=False)
        return MAKERS["contact"](caller, 100 + n)

    answers = at_once(RUSH, None, post)
    assert {answer.status for answer in answers} <= {200, 403}
    with cast.scope():
        assert used_quota("contact") == 40


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_share_the_room() -> None:
    cast = make_cast()
    limit(cast, contact=70)
    jobs = [start(cast.session, cast, people(60, start=1 + 100 * n)) for n in range(2)]
    at_once(2, None, lambda _: work())
    release_lock()
    done = [counts(finished(cast, job)) for job in jobs]
    assert [row[:2] for row in done] == [("completed", 60)] * 2
    assert (sum(row[2] for row in done), sum(row[5] for row in done)) == (70, 50)
    with cast.scope():
        assert used_quota("contact") == 70
