"""GET /organization/:id/timeline"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.events import deliver
from tests.crm.contacts.helpers import form
from tests.crm.organizations.helpers import organization, says
from tests.kit.cast import Cast


def titles(cast: Cast, id: str, **query: str) -> list[str]:
    answer = cast.session.get(f"/organization/{id}/timeline", **query)
    assert answer.status == 200, answer.body
    return [row["title"] for row in answer.data]


def test_own_events_and_those_of_people_and_leads(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]
    ann = cast.key.post("/contact", {"formData": form(1, name="Ann"), "organization": acme}).data["_id"]
    bob = cast.key.post("/contact", {"formData": form(2, name="Bob")}).data["_id"]
    lead = cast.key.post("/lead", {"contact": ann, "formData": {}}).data["_id"]
    other = cast.key.post("/lead", {"contact": bob, "organization": acme, "formData": {}}).data["_id"]
    cast.key.put(f"/organization/{acme}", {"formData": {"domain": "acme.test"}, "owner": cast.owner.pk})
    cast.key.put(f"/contact/{ann}", {"formData": {"name": "Anna"}})
    cast.key.put(f"/contact/{bob}", {"formData": {"name": "Rob"}})
    cast.key.post("/lead-activity", {"lead": lead, "notes": "urgent"})
    cast.key.put(f"/lead/{other}", {"formData": {"value": 5}})
    deliver()
    assert titles(cast, acme) == [
        "Lead: Value changed",
        "Note",
        "Name changed",
        "Domain and Owner changed",
        "Lead created",
        "Lead created",
        "Organization created",
    ]
    rows = cast.session.get(f"/organization/{acme}/timeline").data
    assert [(row["contact"] or {}).get("name") for row in rows] == [
        "Rob",
        "Anna",
        "Anna",
        None,
        "Rob",
        "Anna",
        None,
    ]
    owner = next(change for change in rows[3]["changes"] if change["field"] == "owner")
    assert (owner["name"], owner["from"], owner["to"]) == ("Owner", None, cast.owner.name)
    assert titles(cast, acme, kind="note") == ["Note"]
    cast.key.put(f"/contact/{ann}", {"organization": None})
    deliver()
    assert "Name changed" not in titles(cast, acme)


def test_pages(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]
    people = [form(n, name=f"P{n}") | {"organization": acme} for n in range(3)]
    ids = [row["_id"] for row in cast.key.post("/contact/bulk", {"formData": people}).data["created"]]
    for number, id in enumerate(ids):
        cast.key.put(f"/contact/{id}", {"formData": {"name": f"Q{number}"}})
        cast.key.put(f"/organization/{acme}", {"formData": {"name": f"Acme {number}"}})
    deliver()
    whole = cast.session.get(f"/organization/{acme}/timeline")
    assert whole.body["totalCount"] == len(whole.data) == 7
    seen: list[Any] = []
    cursor = ""
    while True:
        page = cast.session.get(f"/organization/{acme}/timeline", n="2", **({"cursor": cursor} if cursor else {}))
        seen += page.data
        cursor = page.body["nextCursor"]
        if not cursor:
            break
    assert seen == whole.data


def test_queries_do_not_grow(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]

    def count() -> int:
        deliver()
        with CaptureQueriesContext(connection) as queries:
            titles(cast, acme)
        return len(queries)

    people = [form(n, name=f"P{n}") | {"organization": acme} for n in range(10)]
    ids = [row["_id"] for row in cast.key.post("/contact/bulk", {"formData": people}).data["created"]]
    cast.key.put(f"/contact/{ids[0]}", {"formData": {"name": "New"}})
    count()  # once for what is cached
    few = count()
    cast.key.put("/contact", {"ids": ids, "formData": {"name": "Newer"}})
    assert count() == few


def test_missing_and_foreign(cast: Cast, outsiders: Cast) -> None:
    acme = organization(cast)["_id"]
    missing = cast.session.get(f"/organization/{'0' * 24}/timeline")
    assert says(missing, "OrganizationNotFound_400")
    assert says(outsiders.session.get(f"/organization/{acme}/timeline"), "OrganizationNotFound_400")
