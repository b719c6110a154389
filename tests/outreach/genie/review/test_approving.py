"""All drafts of a run are approved as their sample was seen, while others come."""

from __future__ import annotations

from django.utils import timezone

from outreach.genie.review.approving import Seen
from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.outreach.genie.review.test_review import PATH, ids, shown
from tests.outreach.helpers import Post, planned
from tests.web.helpers import at, enter, text_of


def test_an_approval_holds_for_what_was_seen_while_other_drafts_come(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    one, two, late = ids(cast, run)
    with cast.scope():
        drafts = SendJob.objects.filter(pk=late)
        drafts.update(status="planned")  # as a follow-up that is written while somebody reads
    found = cast.session.get(f"/genie/{run}/approval-sample").data
    assert found["count"] == 2
    with cast.scope():
        drafts.update(status="draft", updated_at=timezone.now())
        assert drafts.get().updated_at > Seen.read(found["contentHash"]).until
    client, page = enter(cast.owner), at(cast.owner, f"outreach/{run}/approve")
    sent = client.post(page, {"do": "approve", "contentHash": found["contentHash"]})
    assert sent.status_code == 303
    told = text_of(client.get(sent["Location"]))
    assert "Approved 2 messages. 1 message came or changed since you looked, and waits for you" in told
    assert [shown(cast, id)["status"] for id in (one, two, late)] == ["approved", "approved", "draft"]
    again = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": found["contentHash"]})
    assert [again.data[name] for name in ("changedCount", "leftCount", "newerCount")] == [0, 0, 1]
    assert again.body["warning"] == "1 draft has come or changed since the sample"
    # What was seen and has other words by now is not approved, and the page says so in words for people.
    found = cast.session.get(f"/genie/{run}/approval-sample").data
    assert cast.key.put(f"{PATH}/{late}", {"text": "Other words."}).status == 200
    refused = client.post(page, {"do": "approve", "contentHash": found["contentHash"]})
    told = text_of(client.get(refused["Location"]))
    assert ("Nothing was approved" in told, "contentHash" in told, "Other words." in told) == (True, False, True)
    for wrong in ("x" * 91, 5):
        assert cast.session.post(f"/genie/{run}/approve-all", {"contentHash": wrong}).status == 400
    for wrong in (f"{'0' * 64}-{'f' * 20}", "-", "0-x"):
        assert cast.session.post(f"/genie/{run}/approve-all", {"contentHash": wrong}).status == 409
