"""The setting duplicateLeads, on every way to an open lead of the same contact and product as another."""

from __future__ import annotations

from typing import Any

import pytest

from core.jobs import WORK
from crm.models import Lead
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import csv_of, upload, work
from tests.crm.leads.helpers import make, product, set_duplicates
from tests.kit.cast import Cast

REFUSED = "Duplicate field(s): contact, productServices"


def text(lead: str) -> str:
    return f"the contact already has an open lead for this product ({lead})"


def put(cast: Cast, lead: dict[str, Any], **body: Any) -> Any:
    return cast.key.put(f"/lead/{lead['_id']}", body)


def rule(cast: Cast, value: str) -> None:
    assert cast.key.put("/settings", {"duplicateLeads": value}).data["duplicateLeads"] == value


def open_leads(cast: Cast) -> int:
    with cast.scope():
        return Lead.objects.filter(is_deleted=False).exclude(status="won").count()


def test_by_default_it_is_made_with_a_warning(cast: Cast) -> None:
    assert cast.key.get("/settings").data["duplicateLeads"] == "warn"
    first = make(cast, 1)
    answer = cast.key.post("/lead", {"formData": form(1)})
    assert (answer.status, answer.body["warning"]) == (201, text(first["_id"]))
    closed = cast.key.post("/lead", {"formData": form(1, status="won")})
    assert (closed.status, "warning" in closed.body) == (201, False)


def test_it_is_refused_or_allowed(cast: Cast) -> None:
    first = make(cast, 1)
    rule(cast, "refuse")
    refused = cast.key.post("/lead", {"formData": form(1)})
    assert (refused.status, refused.body["message"]) == (400, REFUSED)
    assert refused.body["warning"] == f"contact, productServices: {text(first['_id'])}"
    rule(cast, "allow")
    allowed = cast.key.post("/lead", {"formData": form(1)})
    assert (allowed.status, "warning" in allowed.body) == (201, False)
    assert cast.key.put("/settings", {"duplicateLeads": "never"}).status == 400


def test_many_at_once(cast: Cast) -> None:
    items = [form(1), form(1), form(2)]
    warned = cast.key.post("/lead/bulk", {"formData": items})
    ids = [found["_id"] for found in warned.data["created"]]
    assert (len(ids), warned.body["warning"]) == (3, f"formData.1: {text(ids[0])}")
    rule(cast, "refuse")
    refused = cast.key.post("/lead/bulk", {"formData": [form(3), form(1)]})
    assert [found["name"] for found in refused.data["failed"]] == ["DuplicateField_400"]
    whole = cast.key.post("/lead/bulk", {"formData": [form(4), form(1)], "skipInvalid": False})
    assert (whole.status, whole.body["message"]) == (400, REFUSED)
    assert whole.body["warning"].startswith("formData.1: contact, productServices: ")
    with cast.scope():
        assert not Lead.objects.filter(contact__email="ann4@example.com").exists()


def test_a_won_lead_that_is_set_back(cast: Cast) -> None:
    won = make(cast, 1, formData={"status": "won"})
    other = make(cast, 1)
    rule(cast, "refuse")
    refused = put(cast, won, formData={"status": "new"})
    assert (refused.status, refused.body["message"]) == (400, REFUSED)
    assert text(other["_id"]) in refused.body["warning"]
    assert open_leads(cast) == 1
    rule(cast, "warn")
    warned = put(cast, won, formData={"status": "new"})
    assert (warned.status, warned.body["warning"]) == (200, text(other["_id"]))
    assert "warning" not in put(cast, won, formData={"status": "qualified", "notes": "Still open"}).body


@pytest.mark.parametrize("what", ["contact", "product"])
def test_another_contact_or_product(cast: Cast, what: str) -> None:
    with cast.scope():
        roof = product("Roof").pk
        set_duplicates("refuse")
    first = make(cast, 1, productServices=[roof])
    second = make(cast, 1 if what == "product" else 2, productServices=[] if what == "product" else [roof])
    body = {"contact": first["contact"]["_id"]} if what == "contact" else {"productServices": [roof]}
    assert put(cast, second, **body).body["message"] == REFUSED
    with cast.scope():
        set_duplicates("warn")
    assert put(cast, second, **body).body["warning"] == text(first["_id"])


def test_existing_error_false_may_bring_the_updated_lead_a_product_of_another(cast: Cast) -> None:
    with cast.scope():
        roof, cellar = product("Roof").pk, product("Cellar").pk
        set_duplicates("refuse")
    first, second = make(cast, 1, productServices=[roof]), make(cast, 1, productServices=[cellar])
    body = {"formData": form(1), "productServices": [roof, cellar], "existingError": False}
    assert cast.key.post("/lead", body).body["message"] == REFUSED
    with cast.scope():
        set_duplicates("warn")
    answer = cast.key.post("/lead", body)
    assert (answer.data["_id"], answer.body["warning"]) == (first["_id"], text(second["_id"]))


def test_a_bulk_change(cast: Cast) -> None:
    won = [make(cast, n, formData={"status": "won"})["_id"] for n in (1, 2)]
    other = make(cast, 2)["_id"]
    rule(cast, "refuse")
    refused = cast.key.put("/lead", {"ids": won, "formData": {"status": "new"}})
    assert (refused.status, refused.body["message"], open_leads(cast)) == (400, REFUSED, 1)
    rule(cast, "warn")
    warned = cast.key.put("/lead", {"ids": won, "formData": {"status": "new"}})
    assert (warned.data["updatedCount"], warned.body["warning"]) == (2, f"{won[1]}: {text(other)}")


def test_a_bulk_job(cast: Cast, settings: Any) -> None:
    settings.BULK_AT_ONCE = 1
    won = [make(cast, n, formData={"status": "won"})["_id"] for n in (1, 2)]
    other = make(cast, 2)["_id"]
    for value, report in (("refuse", "failed"), ("warn", "warned")):
        rule(cast, value)
        body = {"selectAll": True, "nids": [other], "formData": {"status": "new"}}
        job = cast.key.put("/lead", body).body["bulkJob"]
        WORK["bulk-job"].drain(float("inf"))
        found = cast.key.get(f"/bulk-job/{job}").data
        assert list(found["report"][report]) == [won[1]]
        assert text(other) in found["report"][report][won[1]]
    assert open_leads(cast) == 3


def test_an_import(cast: Cast) -> None:
    first = make(cast, 1)["_id"]
    content = csv_of(["Ann,ann1@example.com,,", "Bob,bob@example.org,+49,1701000009"])
    for value, outcome in (("warn", (2, 0)), ("refuse", (0, 2)), ("allow", (2, 0))):
        rule(cast, value)
        body = {"importType": "lead", "fileId": upload(cast, content), "pauseImport": False}
        mapping = {"Name": "name", "Email": "email", "Country code": "countryCode", "Phone": "number"}
        made = cast.key.post("/lead/import", {**body, "columnMapping": mapping}).data["import"]["_id"]
        work()
        job = cast.key.get(f"/lead/import/{made}").data
        assert (job["created"], job["skipped"], job["failed"]) == (*outcome, 0)
        notes = [(error["row"], error["code"], error["skipped"]) for error in job["rowErrors"]]
        if value == "warn":
            assert notes == [(2, "DuplicateField_400", False)]
            assert job["rowErrors"][0]["message"] == text(first).removesuffix(f" ({first})")
        else:
            assert notes == (
                [(2, "DuplicateField_400", True), (3, "DuplicateField_400", True)] if value == "refuse" else []
            )


def merge(cast: Cast, path: str, ids: list[str]) -> Any:
    return cast.key.post(path, {"ids": ids, "winner": ids[0]})


def test_merging_contacts(cast: Cast) -> None:
    first, second = make(cast, 1), make(cast, 2)
    ids = [first["contact"]["_id"], second["contact"]["_id"]]
    rule(cast, "refuse")
    assert merge(cast, "/contact/merge", ids).body["message"] == REFUSED
    assert cast.key.get(f"/contact/{ids[1]}").status == 200
    rule(cast, "warn")
    warned = merge(cast, "/contact/merge", ids)
    assert (warned.status, warned.body["warning"]) == (200, f"{second['_id']}: {text(first['_id'])}")


def test_merging_leads(cast: Cast) -> None:
    with cast.scope():
        roof = product("Roof").pk
    first, winner = make(cast, 1, productServices=[roof]), make(cast, 1)
    loser = make(cast, 2, productServices=[roof])
    ids = [winner["_id"], loser["_id"]]
    rule(cast, "refuse")
    assert merge(cast, "/lead/merge", ids).body["message"] == REFUSED
    rule(cast, "warn")
    assert merge(cast, "/lead/merge", ids).body["warning"] == f"{winner['_id']}: {text(first['_id'])}"


def restore(cast: Cast, *ids: str) -> Any:
    answer = cast.key.post("/lead/restore", {"ids": list(ids)})
    assert answer.status == 200, answer.body
    return answer


def test_restoring(cast: Cast) -> None:
    gone = [make(cast, 1)["_id"], make(cast, 2)["_id"], make(cast, 3)["_id"]]
    cast.key.delete("/lead", {"ids": gone})
    again = [make(cast, 1)["_id"], make(cast, 2)["_id"]]
    warned = restore(cast, gone[0])
    assert (warned.data, warned.body["warning"]) == (
        {"restoredCount": 1, "failed": []},
        f"{gone[0]}: {text(again[0])}",
    )
    rule(cast, "refuse")
    assert restore(cast, *gone[1:]).data == {
        "restoredCount": 1,
        "failed": [
            {
                "_id": gone[1],
                "name": "DuplicateField_400",
                "message": REFUSED,
                "warning": f"contact, productServices: {text(again[1])} (lead {gone[1]})",
            }
        ],
    }
    rule(cast, "allow")
    assert "warning" not in restore(cast, gone[1]).body


def test_restoring_leads_that_repeat_each_other(cast: Cast) -> None:
    gone = [make(cast, 1)["_id"], make(cast, 1)["_id"]]
    cast.key.delete("/lead", {"ids": gone})
    rule(cast, "refuse")
    found = restore(cast, *gone).data
    assert (found["restoredCount"], len(found["failed"]), open_leads(cast)) == (1, 1, 1)


def test_restoring_by_a_job(cast: Cast, settings: Any) -> None:
    gone = [make(cast, n)["_id"] for n in (1, 2)]
    cast.key.delete("/lead", {"ids": gone})
    make(cast, 1)
    rule(cast, "refuse")
    settings.BULK_AT_ONCE = 1
    queued = cast.key.post("/lead/restore", {"selectAll": True})
    assert queued.data == {"restoredCount": None, "failed": None}
    job = done(cast, queued.body["bulkJob"])
    assert (job["status"], job["changed"], job["failed"]) == ("completed", 1, 1)
    assert list(job["report"]["failed"]) == [gone[0]]


def test_undoing(cast: Cast) -> None:
    first = make(cast, 1)
    closing = put(cast, first, formData={"status": "won"}).body["bulkJob"]
    second, third = make(cast, 1), make(cast, 2)
    gone = cast.key.delete("/lead", {"ids": [second["_id"], third["_id"]]}).body["bulkJob"]
    fourth = make(cast, 1)
    rule(cast, "refuse")
    for job, refused, changed in ((closing, first, 0), (gone, second, 1)):
        undoing = done(cast, cast.key.post(f"/bulk-job/{job}/undo").data["_id"])
        assert (undoing["status"], undoing["changed"], undoing["failed"]) == ("completed", changed, 1)
        assert undoing["report"]["failed"] == {
            refused["_id"]: f"contact, productServices: {text(fourth['_id'])} (lead {refused['_id']})"
        }
    assert open_leads(cast) == 2
    assert cast.key.get(f"/lead/{third['_id']}").status == 200
