"""GET /logs/smtp (contract 4.6)."""

from __future__ import annotations

from typing import Any

from tests.kit.cast import Cast, make_cast
from tests.kit.smtp_server import DROP
from tests.outreach.helpers import Post, planned, work

PATH = "/logs/smtp"


def test_the_log_shows_what_went_out(cast: Cast, post: Post, outsiders: Cast, django_assert_num_queries: Any) -> None:
    planned(cast, 2)
    planned(cast, 1, draft=True)
    assert cast.key.get(PATH).data == []
    work("send")
    with django_assert_num_queries(8, exact=False):
        answer = cast.key.get(PATH, p=1, n=10)
    assert (answer.status, answer.body["totalCount"]) == (200, 2)
    for row in answer.data:
        assert (row["status"], row["reply"], row["error"]) == ("sent", "2.0.0 queued", "")
        assert row["smtp"]["_id"] == post.smtp.pk
        assert set(row["smtp"]) == {"_id", "name", "host", "port", "fromEmail", "fromName"}
        assert (
            row["createdBy"]
            == row["updatedBy"]
            == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
        )
        assert row["to"] == row["contact"]["email"]
    assert {row["messageId"] for row in answer.data} == set(post.message_ids())
    assert {row["to"] for row in answer.data} == set(post.recipients())
    assert outsiders.key.get(PATH).data == []


def test_uncertain_messages_are_shown_as_such(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    post.server.at["final"] = DROP
    work("send")
    [row] = cast.session.get(PATH, filters={"status": "unknown"}).data
    assert (row["status"], row["reason"]) == ("unknown", "uncertain")
    assert row["error"].startswith("the message was complete, then")


def test_search_sort_and_cursor(cast: Cast, post: Post) -> None:
    planned(cast, 3)
    work("send")
    everything = [row["to"] for row in cast.key.get(PATH, sortBy="to", sortOrder="asc").data]
    assert everything == sorted(post.recipients())
    assert [row["to"] for row in cast.key.get(PATH, searchValue=everything[1]).data] == [everything[1]]
    page = cast.key.get(PATH, n=2, cursorPagination=True, sortBy="to", sortOrder="asc")
    rest = cast.key.call("GET", PATH, query={"n": 2, "cursor": page.body["nextCursor"]})
    assert [row["to"] for row in page.data + rest.data] == everything
    assert rest.body["nextCursor"] is None


def test_roles(db: None) -> None:
    assert make_cast({"logs": {"GET": True}}).narrow_session.get(PATH).status == 200
    assert make_cast({"genie": {"GET": True}}).narrow_session.get(PATH).status == 403
