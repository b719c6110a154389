"""GET /events"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from core.events import emit, feed
from core.ids import min_id_at, new_id
from core.models import Event, EventDelivery
from core.tenancy import company_scope, unscoped
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

PATH = "/events"


def happen(cast: Cast, *kinds: str, id: str = "") -> list[str]:
    """Emit events of these kinds, each in a transaction of its own. Returns the ids of their objects."""
    ids = []
    with cast.scope():
        for kind in kinds:
            ids.append(id or new_id())
            with transaction.atomic():
                emit(kind, ids[-1:], payloads={ids[-1]: {"changes": {"name": {"from": "a", "to": "b"}}}})
    return ids


def walk(cast: Cast, **query: Any) -> tuple[list[dict[str, Any]], str]:
    """Follow the feed to its present end. Returns the events and the last cursor."""
    found: list[dict[str, Any]] = []
    while True:
        answer = cast.key.get(PATH, **query)
        assert answer.status == 200, answer.body
        found += answer.data
        query["after"] = answer.body["nextCursor"]
        if not answer.body["hasMore"]:
            return found, query["after"]


def test_who_goes_on_from_each_cursor_gets_each_event_once(transactional_db: None, cast: Cast, outsiders: Cast) -> None:
    ids = happen(cast, "contact.created", "lead.created", "tag.deleted", "lead.updated", "contact.deleted")
    happen(outsiders, "contact.created")
    found, end = walk(cast, n="2")
    assert [event["objectId"] for event in found] == ids
    first = found[0]
    assert (first["kind"], first["object"], first["objectSequence"]) == ("contact.created", "contact", 1)
    assert first["payload"] == {"changes": {"name": {"from": "a", "to": "b"}}}
    assert walk(cast, after=end)[0] == []
    later = happen(cast, "note.created")
    assert [event["objectId"] for event in walk(cast, after=end)[0]] == later
    assert [event["kind"] for event in walk(cast, kinds="lead.*,tag.deleted")[0]] == [
        "lead.created",
        "tag.deleted",
        "lead.updated",
    ]
    assert [event["kind"] for event in walk(cast, object=ids[3])[0]] == ["lead.updated"]


def test_a_page_looks_at_a_bounded_number_of_events(
    transactional_db: None, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "LOOKED_AT", 3)
    ids = happen(cast, *["contact.created"] * 7, "tag.deleted")
    first = cast.key.get(PATH, kinds="tag.*")
    assert (first.data, first.body["hasMore"]) == ([], True)
    assert [event["objectId"] for event in walk(cast, kinds="tag.*")[0]] == ids[-1:]


@pytest.mark.parametrize("by_sequence", [False, True])
def test_slow_writers_cost_no_reader_an_event(
    transactional_db: None, cast: Cast, monkeypatch: pytest.MonkeyPatch, by_sequence: bool
) -> None:
    """With the order of sequences alone, which are drawn before the commit, the same reader misses some."""
    if by_sequence:
        monkeypatch.setattr(feed, "read", _read_by_sequence)
    ends = time.monotonic() + 1.5

    def write(n: int) -> list[str]:
        made = []
        try:
            with company_scope(cast.company.pk):
                while time.monotonic() < ends:
                    with transaction.atomic():
                        made.append(new_id())
                        emit("contact.created", made[-1:])
                        time.sleep(0.02 * (n % 2))  # the commit comes later than that of others
        finally:
            connection.close()
        return made

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, n) for n in range(4)]
        seen, cursor = [], ""
        while not all(one.done() for one in writing):
            page, cursor = walk(cast, **({"after": cursor} if cursor else {}), n="1000")
            seen += [event["objectId"] for event in page]
        seen += [event["objectId"] for event in walk(cast, after=cursor, n="1000")[0]]
        made = {id for one in writing for id in one.result()}
    assert len(made) > 100
    assert len(seen) == len(set(seen))
    assert (set(seen) == made) is not by_sequence


def _read_by_sequence(*, after: feed.Position | None, size: int, **_: Any) -> feed.FeedPage:
    start = after.sequence if after else 0
    events = list(Event.objects.filter(sequence__gt=start).order_by("sequence")[:size])
    last = events[-1].sequence if events else start
    return feed.FeedPage(events, feed.Position(1, last, timezone.now()), len(events) == size)


def test_the_events_of_an_object_are_counted_without_gaps(transactional_db: None, cast: Cast) -> None:
    id = new_id()

    def change(n: int) -> None:
        if n == 3:
            with transaction.atomic():
                emit("lead.updated", [id])
                transaction.set_rollback(True)
        for _ in range(5):
            with transaction.atomic():
                emit("lead.updated", [new_id(), id, id])

    happen(cast, "lead.created", id=id)
    at_once(4, cast.company.pk, change)
    found, _ = walk(cast, object=id)
    # The feed goes by transactions: one that began earlier may have changed the object later.
    assert sorted(event["objectSequence"] for event in found) == list(range(1, 22))


def test_old_and_foreign_cursors_are_refused_with_the_oldest_one(transactional_db: None, cast: Cast) -> None:
    ids = happen(cast, "contact.created", "lead.created")
    first = cast.key.get(PATH, n="1").body["nextCursor"]
    with unscoped(reason="test: an old event, and one that is gone"):
        long_ago = timezone.now() - timedelta(days=31)
        Event.objects.filter(object_id=ids[0]).update(created_at=long_ago)
        old = feed.Position(1, 1, long_ago).encode(feed.cursor_epoch())
    refused = cast.key.get(PATH, after=old)
    assert (refused.status, "older than the 30 days" in refused.body["warning"]) == (400, True)
    oldest = refused.body["warning"].rpartition(" ")[2]
    assert [event["objectId"] for event in walk(cast, after=oldest)[0]] == ids[1:]
    for bad in ("x", "e30", first[:-3], "%00", "A" * 5000):
        refused = cast.key.get(PATH, after=bad)
        assert (refused.status, refused.body["warning"].split(":")[0]) == (400, "after")
    for name, value in {"kinds": "contact.made", "object": "x", "n": "0", "p": "1"}.items():
        refused = cast.key.get(PATH, **{name: value})
        assert (refused.status, refused.body["warning"].split(":")[0]) == (400, name)


def test_after_a_restore_the_feed_begins_anew(transactional_db: None, cast: Cast) -> None:
    """A dump brings the numbers of another database's transactions along, which lie ahead of this one's."""
    ids = happen(cast, "contact.created", "lead.created")
    cursor = walk(cast)[1]
    with unscoped(reason="test: a restored dump"), connection.cursor() as other:
        other.execute("UPDATE core_event SET tx = (900000000000 + sequence)::text::xid8")
    assert walk(cast)[0] == []
    call_command("after_restore", stdout=open("/dev/null", "w"))  # noqa: SIM115
    refused = cast.key.get(PATH, after=cursor)
    assert (refused.status, "restored" in refused.body["warning"]) == (400, True)
    found, end = walk(cast)
    assert [event["objectId"] for event in found] == ids
    assert [event["objectId"] for event in walk(cast, after=end)[0]] == []
    later = happen(cast, "tag.deleted")
    assert [event["objectId"] for event in walk(cast, after=end)[0]] == later


def test_a_reader_sees_the_kinds_of_records_that_their_role_shows(transactional_db: None) -> None:
    cast = make_cast({"api": {"GET": True}, "contact": {"GET": True}, "lead-activity": {"GET": True}})
    happen(cast, "contact.created", "lead.created", "note.created", "member.updated")
    answer = cast.narrow_session.get(PATH)
    assert [event["kind"] for event in answer.data] == ["contact.created", "note.created"]
    assert cast.narrow_session.get(PATH, kinds="lead.*").data == []
    assert make_cast().narrow_session.get(PATH).status == 403


def test_old_events_are_deleted_but_those_that_a_consumer_waits_for(scope: Cast) -> None:
    long_ago = timezone.now() - timedelta(days=40)
    old, waiting = (min_id_at(long_ago + timedelta(seconds=n)) for n in range(2))
    for id in (old, waiting, new_id()):
        Event.objects.create(pk=id, kind="contact.created", object_id=new_id())
    EventDelivery.objects.create(event_id=waiting, consumer="activities", due_at=timezone.now())
    with unscoped(reason="test: as a periodic task"):
        assert feed.forget_old() is False
    assert set(Event.objects.values_list("pk", flat=True)) == {waiting, Event.objects.latest("sequence").pk}


def test_cursor_is_another_name_of_after(cast: Cast) -> None:
    cast.key.post("/tag", {"name": "One"})
    page = cast.key.get(PATH, n="1").body
    first = page["nextCursor"]
    cast.key.post("/tag", {"name": "Two"})
    assert cast.key.get(PATH, cursor=first).data == cast.key.get(PATH, after=first).data
    assert cast.key.get(PATH, cursor=first, after=first).status == 200
    refused = cast.key.get(PATH, cursor=first, after="x")
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "cursor")
    assert cast.key.get(PATH, cursor="x").body["warning"].startswith("cursor: is no nextCursor")
