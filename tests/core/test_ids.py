"""Ids: ObjectIds of BSON's specification, which no two processes share."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from bson import ObjectId

from core.ids import is_id, new_id, time_of


def test_ids_are_object_ids_of_now_and_differ() -> None:
    made = [new_id() for _ in range(10_000)]
    assert len(set(made)) == len(made)
    assert all(is_id(one) and str(ObjectId(one)) == one for one in (made[0], made[-1]))
    assert abs(time_of(made[0]) - datetime.now(UTC)) < timedelta(seconds=5)


def test_a_forked_process_makes_other_ids() -> None:
    before, (reads, writes) = new_id(), os.pipe()
    child = os.fork()
    if not child:
        os.write(writes, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writes)
    with os.fdopen(reads) as found:
        assert found.read()[8:18] not in {before[8:18], new_id()[8:18]}
    assert before[8:18] == new_id()[8:18]
