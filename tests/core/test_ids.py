"""Ids: ObjectIds of BSON's specification, which no two processes share."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone

from core.ids import is_id, min_id_at, new_id, time_of


def test_ids_are_object_ids_of_now_and_differ() -> None:
    made = [new_id() for _ in range(10_000)]
    assert len(set(made)) == len(made)
    assert is_id(made[0])
    assert is_id(made[-1])
    assert abs(time_of(made[0]) - datetime.now(UTC)) < timedelta(seconds=5)


def test_the_first_id_of_a_second_precedes_all_others_of_it() -> None:
    at = datetime(2026, 11, 27, 8, 30, 15, 999_999, tzinfo=UTC)
    assert min_id_at(at) == "6b093f970000000000000000"
    assert time_of(min_id_at(at)) == at.replace(microsecond=0)
    assert min_id_at(datetime(1960, 1, 1, tzinfo=UTC)) == "0" * 24
    assert min_id_at(at.astimezone(timezone(timedelta(hours=9)))) == min_id_at(at)


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
