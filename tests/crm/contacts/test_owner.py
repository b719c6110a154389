"""`owner` of contacts: in answers, changes, filters, imports, merges and undo."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, people, run
from tests.kit.cast import Cast

MISSING = "0" * 24


def contact(cast: Cast, n: int = 1, **beside: Any) -> Any:
    answer = cast.key.post("/contact", {"formData": form(n), **beside})
    assert answer.status == 200, answer.body
    return answer.data


def test_create_read_and_update(cast: Cast) -> None:
    made = contact(cast, owner=cast.owner.pk)
    address = f"/contact/{made['_id']}"
    snapshot = {"_id": cast.owner.pk, "name": made["owner"]["name"], "email": cast.owner.email}
    assert made["owner"] == snapshot
    assert cast.session.get(address).data["owner"] == snapshot
    assert cast.session.put(address, {"formData": {"name": "Ann"}}).data["owner"] == snapshot
    assert cast.session.put(address, {"owner": None}).data["owner"] is None
    with cast.scope():
        changes = list(Event.objects.filter(kind="contact.updated").order_by("id").values_list("payload", flat=True))
    assert changes[-1]["changes"] == {"owner": {"from": cast.owner.pk, "to": None}}


def test_api_leaves_it_empty(cast: Cast) -> None:
    assert contact(cast)["owner"] is None


@pytest.mark.parametrize("path", ["/contact", "/contact/bulk"])
def test_unknown_owner(cast: Cast, path: str) -> None:
    data: Any = form(1) if path == "/contact" else [form(1)]
    refused = cast.key.post(path, {"formData": data, "owner": MISSING})
    assert (refused.status, refused.body["name"]) == (404, "MemberNotFound_404")
    assert cast.key.get("/contact").data == []


def test_each_item_has_its_own(cast: Cast) -> None:
    items = [{**form(1), "owner": cast.owner.pk}, form(2), {**form(3), "owner": MISSING}, {**form(4), "owner": 5}]
    answer = cast.key.post("/contact/bulk", {"formData": items, "owner": cast.narrow.pk}).data
    assert [row["owner"]["_id"] for row in answer["created"]] == [cast.owner.pk, cast.narrow.pk]
    assert [(row["index"], row["name"]) for row in answer["failed"]] == [
        (2, "MemberNotFound_404"),
        (3, "MemberNotFound_404"),
    ]


def test_filter_sort_and_search(cast: Cast) -> None:
    own = contact(cast, 1, owner=cast.owner.pk)
    other = contact(cast, 2, owner=cast.narrow.pk)
    nobodys = contact(cast, 3)

    def ids(**query: Any) -> list[str]:
        return [row["_id"] for row in cast.key.get("/contact", **query).data]

    assert ids(filters={"owner": cast.owner.pk}) == [own["_id"]]
    assert ids(advancedFilters={"field": "owner", "operator": "isEmpty"}) == [nobodys["_id"]]
    assert ids(searchValue=cast.narrow.email, searchBy="owner.email") == [other["_id"]]
    assert set(ids(sortBy="owner.name")) == {own["_id"], other["_id"], nobodys["_id"]}


def test_change_many_and_undo(cast: Cast) -> None:
    rows = [contact(cast, n) for n in (1, 2)]
    ids = [row["_id"] for row in rows]
    answer = cast.session.put("/contact", {"ids": ids, "owner": cast.owner.pk})
    assert answer.data["updatedCount"] == 2
    assert {row["owner"]["_id"] for row in cast.key.get("/contact").data} == {cast.owner.pk}
    undone = cast.session.post(f"/bulk-job/{answer.body['bulkJob']}/undo", {})
    assert undone.status == 201, undone.body
    done(cast, undone.data["_id"])
    assert {row["owner"] for row in cast.key.get("/contact").data} == {None}
    cast.session.put("/contact", {"ids": ids, "owner": cast.owner.pk})
    cleared = cast.session.put("/contact", {"ids": ids, "owner": None, "updateType": "clear"})
    assert cleared.data["updatedCount"] == 2
    with cast.scope():
        assert not Contact.objects.filter(owner__isnull=False).exists()
    refused = cast.session.put("/contact", {"ids": ids, "owner": cast.owner.pk, "updateType": "append"})
    assert refused.body["name"] == "InvalidPayload_400"


def test_merge_keeps_the_chosen_owner(cast: Cast) -> None:
    first = contact(cast, 1, owner=cast.owner.pk)["_id"]
    second = contact(cast, 2, owner=cast.narrow.pk)["_id"]
    answer = cast.session.post(
        "/contact/merge", {"ids": [first, second], "winner": first, "choices": {"owner": second}}
    )
    assert answer.status in (200, 201), answer.body
    assert cast.key.get(f"/contact/{first}").data["owner"]["_id"] == cast.narrow.pk
    assert cast.session.post(f"/contact/merge/{answer.data['_id']}/undo", {}).status == 200
    assert cast.key.get(f"/contact/{first}").data["owner"]["_id"] == cast.owner.pk
    assert cast.key.get(f"/contact/{second}").data["owner"]["_id"] == cast.narrow.pk


def test_own_fields_cannot_have_its_key(cast: Cast) -> None:
    body = {"name": "Owner", "uniqueFieldID": "owner", "fieldType": "text", "valueType": "string", "panel": "contact"}
    assert cast.session.post("/custom-field", body).status == 400


def test_import_by_name_or_address(cast: Cast) -> None:
    lines = [f"{line},{text}" for line, text in zip(people(3), (cast.owner.email, "", "Nobody"), strict=True)]
    job = run(cast, csv_of(lines, f"{HEADER},Contact owner"), columnMapping={**MAPPING, "Contact owner": "owner"})
    assert counts(job)[:3] == ("completed", 3, 2)
    assert [(row["row"], row["column"], row["code"]) for row in job["rowErrors"]] == [
        (4, "Contact owner", "MemberNotFound_404")
    ]
    owners = [row["owner"] and row["owner"]["_id"] for row in cast.key.get("/contact", sortBy="email").data]
    assert sorted(owners, key=str) == sorted([cast.owner.pk, None], key=str)
