"""Two imports of one company at once, whose workers are killed by kill -9: together they fill the plan to the last
contact."""

from __future__ import annotations

import random
import time

import pytest

from billing.subscriptions.services import override_subscription
from core.access import used_quota
from crm.models import Import
from tests.contracts.test_plan_limits import start
from tests.crm.imports.helpers import counts, people
from tests.flows.test_import_chaos import SECONDS, running
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

ROWS, ROOM, KILLS = 1500, 2000, 6


@pytest.mark.django_db(transaction=True)
def test_killed_workers_neither_exceed_nor_waste_the_plan() -> None:
    cast = make_cast()
    override_subscription(company_id=cast.company.pk, modules=None, limits={"contact": ROOM})
    jobs = [start(cast.session, cast, people(ROWS, start=1 + n * ROWS)) for n in range(2)]

    def seen() -> dict[str, int]:
        with cast.scope():
            return dict(Import.objects.filter(status__in=("queued", "running")).values_list("pk", "processed"))

    end = time.monotonic() + SECONDS
    with running() as workers:
        for _ in range(KILLS):
            workers.spawn()
            time.sleep(random.uniform(0.1, 0.6))
            workers.kill_all()
        workers.spawn()
        workers.spawn()
        while seen():
            assert time.monotonic() < end, seen()
            time.sleep(0.05)
    done = [counts(dict(cast.key.get(f"/contact/import/{job}").data)) for job in jobs]
    assert [row[:2] for row in done] == [("completed", ROWS)] * 2
    assert (sum(row[2] for row in done), sum(row[5] for row in done)) == (ROOM, 2 * ROWS - ROOM)
    with cast.scope():
        assert used_quota("contact") == ROOM
