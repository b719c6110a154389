"""The page of an email template with many versions: it reads ten of them."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter
from tests.web.test_guards import BESIDE, MAX_QUERIES


def test_a_template_of_many_versions_is_as_fast_as_others(cast: Cast) -> None:
    client = enter(cast.owner)
    id = cast.key.post("/template/email", {"name": "Offer", "subject": "Offer", "body": "Hello"}).data["_id"]
    place = at(cast.owner, f"templates/{id}")
    counts = []
    for number in range(1, 25):
        cast.key.put(f"/template/email/{id}", {"subject": f"Offer {number}", "body": f"Hello {number}"})
        if number in (1, 2, 24):
            client.get(place)
            with CaptureQueriesContext(connection) as queries:
                shown = client.get(place)
            counts.append(len([entry for entry in queries.captured_queries if not BESIDE.match(entry["sql"])]))
    assert html_of(shown).count('name="restore"') == 9  # ten versions, one of which is the present one
    assert max(counts) <= MAX_QUERIES, counts
