"""Exports at once: the list's own query under the list's own right."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company, CompanySettings
from crm.exports import services as exports
from crm.exports.sources import SOURCES
from crm.models import Contact, CustomField
from tests.crm.contacts.helpers import form
from tests.crm.exports.helpers import records, table, with_role
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory

CONTACT_COLUMNS = [
    *(
        "_id",
        "name",
        "email",
        "countryCode",
        "number",
        "City",
        "contactNumber",
        "category._id",
        "category.name",
        "organization._id",
        "organization.name",
        "organization.isDeleted",
        "owner._id",
        "owner.name",
        "owner.email",
        "tags",
        "importId",
    ),
    *("unsubscribed", "unsubscribedAt", "createdBy._id", "createdBy.name", "createdBy.email"),
    *("updatedBy._id", "updatedBy.name", "updatedBy.email", "isDeleted", "createdAt", "updatedAt"),
]


def test_columns_and_cells_of_contacts(scope: Cast) -> None:
    CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string", order=90)
    tags = [TagFactory(name=name).pk for name in ("VIP", "Fair")]
    Company.objects.filter(pk=scope.company.pk).update(timezone="Europe/Berlin")
    CompanySettings.objects.update_or_create(defaults={"date_format": "yyyy-mm-dd", "time_format": "HH:mm"})
    made = scope.key.post("/contact", {"formData": form(1, name="=Ann", city="Rome"), "tags": tags}).data
    Contact.objects.update(created_at="2026-07-31T22:30:00Z")
    answer = scope.key.get("/contact/export")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="contact-{timezone.now():%Y-%m-%d}.csv"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    (row,) = records(answer)
    assert list(row) == CONTACT_COLUMNS
    assert row | {"updatedAt": ""} == dict.fromkeys(CONTACT_COLUMNS, "") | {
        "_id": made["_id"],
        "name": "'=Ann",
        "email": "ann1@example.com",
        "countryCode": "+49",
        "number": "1701000001",
        "contactNumber": "+491701000001",
        "City": "Rome",
        "tags": "Fair; VIP",
        "unsubscribed": "false",
        "isDeleted": "false",
        "createdBy._id": scope.owner.pk,
        "createdBy.name": scope.owner.name,
        "createdBy.email": scope.owner.email,
        "updatedBy._id": scope.owner.pk,
        "updatedBy.name": scope.owner.name,
        "updatedBy.email": scope.owner.email,
        "createdAt": "2026-08-01 00:30",
    }


def test_fields_stand_in_the_panels_order_and_clashing_names_bear_their_key(scope: Cast) -> None:
    CustomField.objects.filter(is_system=True, unique_field_id="email").update(order=-5)
    for key, name, order in (("k1", "tags", -4), ("k2", "Score", 95)):
        CustomField.objects.create(name=name, unique_field_id=key, field_type="text", value_type="string", order=order)
    (header,) = table(scope.key.get("/contact/export").body)
    assert header[:3] == ["_id", "email", "tags (k1)"]
    assert header.index("Score") < header.index("contactNumber")
    assert header.count("tags") == 1


def test_columns_may_be_chosen_by_header_key_or_id(scope: Cast) -> None:
    field = CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string")
    ContactFactory(name="Ann", custom={"city": "Rome"})
    for name in ("City", "city", field.pk):
        assert table(scope.key.get("/contact/export", columns=f"{name},name").body) == [
            ["City", "name"],
            ["Rome", "Ann"],
        ]
    wrong = scope.key.get("/contact/export", columns="name,nothing")
    assert (wrong.status, wrong.body["warning"][:38]) == (400, "columns: there is no column 'nothing';")


def test_the_query_is_that_of_the_list(scope: Cast) -> None:
    for name in ("Bob", "Ann", "Annabel", "Cleo"):
        ContactFactory(name=name)
    query = {"searchValue": "ann", "searchBy": "name", "sortBy": "name", "sortOrder": "asc"}
    listed = [row["name"] for row in scope.key.get("/contact", **query).data]
    assert [row["name"] for row in records(scope.key.get("/contact/export", **query))] == listed == ["Ann", "Annabel"]
    assert [row["name"] for row in records(scope.key.get("/contact/export", filters={"name": "Cleo"}))] == ["Cleo"]
    for wrong in (
        {"filters": {"nothing": 1}},
        {"sortBy": "nothing"},
        {"nothing": "1"},
        {"p": "1"},
        {"n": "1"},
        {"format": "pdf"},
    ):
        answer = scope.key.get("/contact/export", **wrong)
        assert (answer.status, answer.body["warning"].split(":")[0]) == (400, next(iter(wrong))), answer.body


def test_more_records_than_go_out_at_once_need_a_job(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MAX_ROWS", 2)
    ContactFactory.create_batch(2)
    assert len(records(scope.key.get("/contact/export"))) == 2
    ContactFactory()
    answer = scope.key.get("/contact/export")
    assert (answer.status, answer.body["warning"]) == (
        400,
        "more than 2 records match; make an export instead (POST /export)",
    )


def test_pieces_neither_lose_nor_repeat_a_record_and_keep_the_order(
    scope: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crm.exports.sources.CHUNK", 3)
    ContactFactory.create_batch(10)
    listed = [row["_id"] for row in scope.key.get("/contact", sortBy="email", sortOrder="asc").data]
    assert len(listed) == 10
    assert [row["_id"] for row in records(scope.key.get("/contact/export", sortBy="email", sortOrder="asc"))] == listed


def test_a_workbook(scope: Cast) -> None:
    ContactFactory(name="=1+1")
    answer = scope.key.get("/contact/export", format="xlsx", columns="name")
    assert answer.headers["Content-Type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert answer.headers["Content-Disposition"].endswith('.xlsx"')
    assert answer.body.startswith(b"PK")


def test_every_list_can_be_exported_under_its_own_right(cast: Cast) -> None:
    assert len(SOURCES) > 12
    for resource, source in SOURCES.items():
        module = source.module
        for caller in (cast.key, with_role(cast, {module: {"GET": True}})):
            header = table(caller.get(f"/{resource}/export").body)[0]
            assert header[0] == "_id"
            assert len(header) == len(set(header))
        refused = with_role(cast, {"file": {"GET": True, "POST": True}}).get(f"/{resource}/export")
        assert (refused.status, refused.body["warning"]) == (403, f"your role lacks the permission {module}.GET")
        with cast.scope():
            assert set(source.listing.output.conceals).isdisjoint(header)


def test_the_number_of_queries_does_not_grow_with_the_records(scope: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert scope.key.get("/lead/export").status == 200
        return len(captured)

    LeadFactory.create_batch(2)
    queries()
    few = queries()
    LeadFactory.create_batch(20)
    assert queries() == few
