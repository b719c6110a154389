"""Export workers killed by kill -9 while they read and write: the file is whole, each record in it once."""

from __future__ import annotations

import random
import time

import pytest

from crm.models import Contact, Export, ExportPart, File
from tests.crm.exports.helpers import content_of, make, table
from tests.flows.import_workers import SECONDS, running
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

ROWS, KILLS = 600, 3


@pytest.mark.django_db(transaction=True)
def test_chaos_of_an_export() -> None:
    cast = make_cast()
    with cast.scope():
        Contact.objects.bulk_create([Contact(name=f"Ann {n}", email=f"ann{n:04}@example.org") for n in range(ROWS)])
    made = make(cast.key, query={"sortBy": "email", "sortOrder": "asc"}, columns=["email"])

    def progress() -> tuple[str, int]:
        with cast.scope():
            return Export.objects.values_list("status", "processed").get()

    end, chance = time.monotonic() + SECONDS, random.Random(7)
    reached = [0]
    with running("export", EXPORT_CHUNK_ROWS=20) as workers:
        for number in range(KILLS):
            goal = ROWS * (number + chance.random()) / KILLS
            while (seen := progress())[1] < goal and seen[0] in ("queued", "running"):
                assert time.monotonic() < end, seen
                time.sleep(0.002)
            workers.kill_all()
            reached.append(progress()[1])
            workers.spawn()
        while (seen := progress())[0] in ("queued", "running"):
            assert time.monotonic() < end, seen
            time.sleep(0.02)
    assert seen == ("completed", ROWS)
    assert reached == sorted(reached), "no worker began anew"
    assert reached[-1] > ROWS / 2
    done = cast.key.get(f"/export/{made['_id']}").data
    rows = [row[0] for row in table(content_of(cast.key, done))[1:]]
    assert rows == [f"ann{n:04}@example.org" for n in range(ROWS)]
    with cast.scope():
        assert not ExportPart.objects.exists()
        assert File.objects.count() == 1
