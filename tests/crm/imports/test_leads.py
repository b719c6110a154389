"""/lead/import: files of leads, with the contacts behind them."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.imports.types import IMPORT_TYPES
from crm.imports.types.base import ImportType
from crm.models import Contact, CustomField, Import, Lead, LeadTag, LeadValue
from tests.crm.imports.helpers import counts, csv_of, upload, work
from tests.crm.leads.helpers import lead_field, member, product, set_rule, team_of
from tests.crm.pipelines.helpers import make_pipeline, stage_ids, stage_of_status
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, TagFactory

HEADER = "Name,Email,Country code,Phone,Status,Value,Products,Team,Owner,Tags,Category"
MAPPING = {
    "Name": "name",
    "Email": "email",
    "Country code": "countryCode",
    "Phone": "number",
    "Status": "status",
    "Value": "value",
    "Products": "productServices",
    "Team": "team",
    "Owner": "teamMember",
    "Tags": "tags",
    "Category": "category",
}


def line(n: int, **values: str) -> str:
    """Return the CSV line of the nth contact's lead; values by header."""
    cells = {
        "Name": f"Person {n}",
        "Email": f"person{n}@example.org",
        "Country code": "+49",
        "Phone": f"151{n:08}",
        **values,
    }
    return ",".join(f'"{cells.get(header, "")}"' for header in HEADER.split(","))


def import_file(cast: Cast, content: bytes, **body: Any) -> Any:
    answer = cast.key.post("/lead/import", {"importType": "lead", "fileId": upload(cast, content), **body})
    assert answer.status == 201, answer.body
    return answer.data["import"]


def run(cast: Cast, lines: list[str], header: str = HEADER, **body: Any) -> dict[str, Any]:
    """Run an import of the lines to its end."""
    made = import_file(cast, csv_of(lines, header), **{"pauseImport": False, "columnMapping": MAPPING, **body})
    work()
    return dict(cast.key.get(f"/lead/import/{made['_id']}").data)


def leads(cast: Cast, *paths: str) -> list[Any]:
    with cast.scope():
        return list(Lead.objects.order_by("contact__email", "first_product", "pk").values_list(*paths))


def test_the_mapping_is_proposed_from_headers_and_values(cast: Cast) -> None:
    with cast.scope():
        lead_field("budget", "number", "number")
        product("Roof")
        team_of("North", member(email="sam@example.net"))
    header = "Full name,Email,Lead status,Deal value,Products,Sales team,Assigned to,Budget,Comments,Lead source"
    made = import_file(cast, csv_of(["Ann,ann@example.org,new,5,Roof,North,sam@example.net,7,x,event"], header))
    assert (made["status"], made["importType"], made["total"]) == ("paused", "lead", 1)
    assert made["columnMapping"] == {
        "Full name": "name",
        "Email": "email",
        "Lead status": "status",
        "Deal value": "value",
        "Products": "productServices",
        "Sales team": "team",
        "Assigned to": "teamMember",
        "Budget": "budget",
        "Comments": "notes",
        "Lead source": "source",
    }


def test_rows_become_leads_with_contacts_and_all_that_they_name(cast: Cast) -> None:
    with cast.scope():
        product("Roof"), product("Doors, windows"), ContactCategoryFactory(name="Customer")
        sam = member(name="Sam", email="sam@example.net")
        team_of("North", sam)
        lead_field("budget", "number", "number")
        tag = TagFactory(name="Fair")
    lines = [
        line(
            1,
            Status="Qualified",
            Value="1.234,50",
            Products="roof; Doors",
            Team="north",
            Owner="Sam",
            Tags="Hot;Cold",
            Category="customer",
        ),
        line(2, Products="doors, windows", Owner="SAM@example.net"),
    ]
    with cast.scope():
        product("Doors")
    job = run(
        cast,
        [f"{text},{n}" for n, text in enumerate(lines, 5)],
        f"{HEADER},Budget",
        columnMapping={**MAPPING, "Budget": "budget"},
        tags=[tag.pk],
    )
    assert counts(job) == ("completed", 2, 2, 0, 0, 0)
    assert leads(
        cast, "contact__name", "status", "value", "first_product", "team__name", "team_member__name", "import_job_id"
    ) == [
        ("Person 1", "qualified", 1234.5, "Doors", "North", "Sam", job["_id"]),
        ("Person 2", "new", None, "Doors, windows", *leads(cast, "team__name")[1], "Sam", job["_id"]),
    ]
    with cast.scope():
        assert sorted(LeadTag.objects.values_list("lead__contact__name", "tag__name")) == [
            ("Person 1", "Cold"),
            ("Person 1", "Fair"),
            ("Person 1", "Hot"),
            ("Person 2", "Fair"),
        ]
        assert list(Contact.objects.order_by("name").values_list("category__name", "import_job_id")) == [
            ("Customer", job["_id"]),
            (None, job["_id"]),
        ]
        assert sorted(LeadValue.objects.values_list("number", flat=True)) == [5, 6]
        assert sorted(Event.objects.values_list("kind", flat=True)) == ["contact.created"] * 2 + ["lead.created"] * 2
    found = cast.key.get("/lead", filters={"importId": job["_id"]}).data
    assert {lead["importId"]["file"]["name"] for lead in found} == {"people.csv"}


def test_contacts_are_found_by_the_unique_key_and_not_emptied(cast: Cast) -> None:
    known = cast.key.post(
        "/contact",
        {"formData": {"name": "Ann", "email": "person1@example.org", "countryCode": "+49", "number": "15100000001"}},
    ).data
    job = run(cast, [line(1, Name="", Phone="", **{"Country code": ""}), line(2, Phone="")])
    assert counts(job) == ("completed", 2, 1, 0, 0, 1)
    assert [(error["row"], error["column"], error["code"]) for error in job["rowErrors"]] == [
        (3, "Phone", "ContactDataRequired_400")
    ]
    assert leads(cast, "contact_id", "contact__name", "contact__contact_number") == [
        (known["_id"], "Ann", "+4915100000001")
    ]


def test_bad_rows_are_told_and_cost_no_good_one(cast: Cast) -> None:
    with cast.scope():
        member("blocked", name="Bea")
        member(name="Twin"), member(name="Twin")
    lines = [
        line(1, Status="asleep"),
        line(2, Products="Roof"),
        line(3, Team="North"),
        line(4, Owner="Nobody"),
        line(5, Owner="Bea"),
        line(6, Owner="Twin"),
        line(7, Category="Nowhere"),
        line(8, Value="much"),
        line(9, Email="", Phone=""),
        line(10),
    ]
    job = run(cast, lines)
    assert counts(job) == ("completed", 10, 1, 0, 0, 9)
    assert [(error["row"], error["column"], error["code"]) for error in job["rowErrors"]] == [
        (2, "Status", "InvalidSystemField_400"),
        (3, "Products", "ProductServiceNotFound_400"),
        (4, "Team", "TeamNotFound_400"),
        (5, "Owner", "MemberNotFound_404"),
        (6, "Owner", "MemberNotAccepted_400"),
        (7, "Owner", "MemberNotFound_404"),
        (8, "Category", "ContactCategoryNotFound_400"),
        (9, "Value", "InvalidSystemField_400"),
        (10, "Email", "ContactDataRequired_400"),
        (10, "Phone", "ContactDataRequired_400"),
    ]
    with cast.scope():
        assert list(Contact.objects.values_list("name", flat=True)) == ["Person 10"]
    rows = cast.key.get(f"/lead/import/{job['_id']}/errors").data
    assert len(rows) == 10
    csv = cast.key.call("GET", f"/lead/import/{job['_id']}/errors.csv")
    assert csv.status == 200
    assert csv.body.decode("utf-8-sig").splitlines()[0] == HEADER + ",Row,Error"


@pytest.mark.parametrize(
    ("existing", "outcome", "values"),
    [
        ("skip", ("completed", 4, 2, 0, 2, 0), [(None, 1), ("Roof", None)]),
        ("error", ("completed", 4, 2, 0, 0, 2), [(None, 1), ("Roof", None)]),
        ("update", ("completed", 4, 2, 2, 0, 0), [(None, 9), ("Roof", 5)]),
    ],
)
def test_rows_that_repeat_an_open_lead(cast: Cast, existing: str, outcome: tuple[Any, ...], values: list[Any]) -> None:
    with cast.scope():
        product("Roof")
    lines = [
        line(1, Value="1"),
        line(1, Value="9"),
        line(1, Products="Roof"),
        line(1, Products="Roof", Value="5", Name="Changed"),
    ]
    job = run(cast, lines, options={"existing": existing})
    assert counts(job) == outcome
    assert sorted(leads(cast, "first_product", "value"), key=str) == sorted(values, key=str)
    if existing == "error":
        assert [(error["row"], error["column"], error["code"]) for error in job["rowErrors"]] == [
            (3, "", "DuplicateField_400"),
            (5, "", "DuplicateField_400"),
        ]
    with cast.scope():
        assert Contact.objects.filter(name="Changed").exists() == (existing == "update")


def test_the_batch_size_changes_nothing(cast: Cast, outsiders: Cast, settings: Any) -> None:
    lines = [
        line(n % 5, Value=str(n), Team="North", Status="won" if n % 7 == 0 else "", Products="Roof" if n % 3 else "")
        for n in range(29)
    ]
    outcomes = []
    for caller, size in ((cast, 2000), (outsiders, 3)):
        settings.IMPORT_BATCH_ROWS = size
        with caller.scope():
            product("Roof")
            set_rule("roundRobin")
            team_of("North", *(member(name=name) for name in ("A", "B", "C")))
        job = run(caller, lines, options={"existing": "update"})
        outcomes.append(
            (counts(job), leads(caller, "contact__email", "first_product", "value", "status", "team_member__name"))
        )
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0][:2] == ("completed", 29)


def test_leads_of_a_file_are_assigned(cast: Cast) -> None:
    with cast.scope():
        set_rule("roundRobin")
        ann, bob = member(name="Ann"), member(name="Bob")
        team_of("North", ann, bob)
    job = run(cast, [line(n, Team="North", Owner="Ann" if n == 2 else "") for n in range(1, 6)])
    assert counts(job) == ("completed", 5, 5, 0, 0, 0)
    assert [name for (name,) in leads(cast, "team_member__name")] == ["Ann", "Ann", "Bob", "Ann", "Bob"]


@pytest.mark.parametrize(
    ("mapping", "warning"),
    [
        ({"Name": "name"}, "required and without column: email or number"),
        (
            {"Email": "email", "Name": "planet"},
            "goes to 'planet', which is no field of leads; use name, email, countryCode, number, status",
        ),
        ({"Email": "email", "Planet": "name"}, "the file has no column 'Planet'"),
        ({"Email": "name", "Name": "name"}, "two columns go to 'name'"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(cast: Cast, mapping: dict[str, str], warning: str) -> None:
    body = {
        "importType": "lead",
        "fileId": upload(cast, csv_of([line(1)], HEADER)),
        "columnMapping": mapping,
        "pauseImport": False,
    }
    answer = cast.key.post("/lead/import", body)
    assert (answer.status, answer.body["message"]) == (400, "The columns or fields are not matched correctly.")
    assert warning in answer.body["warning"]


def test_a_required_lead_field_wants_a_column(cast: Cast) -> None:
    with cast.scope():
        lead_field("budget", "number", "number", required=True)
        CustomField.objects.filter(panel="lead", unique_field_id="source").update(required=True)
    body = {
        "importType": "lead",
        "fileId": upload(cast, csv_of([line(1)], HEADER)),
        "columnMapping": MAPPING,
        "pauseImport": False,
    }
    assert cast.key.post("/lead/import", body).body["warning"].endswith("required and without column: source, budget")


def test_a_paused_import_is_started_paused_and_cancelled(cast: Cast) -> None:
    made = import_file(cast, csv_of([line(1)], HEADER))
    path = f"/lead/import/{made['_id']}"
    assert cast.key.put(path, {"columnMapping": MAPPING}).data["status"] == "queued"
    assert cast.key.put(path, {"status": "paused"}).data["status"] == "paused"
    assert cast.key.put(path, {"status": "cancelled"}).data["status"] == "cancelled"
    work()
    assert leads(cast, "pk") == []


def test_the_two_types_do_not_see_each_other(cast: Cast, outsiders: Cast) -> None:
    of_leads = import_file(cast, csv_of([line(1)], HEADER))["_id"]
    file = upload(cast, csv_of(["Ann,ann@example.org"], "Name,Email"))
    of_contacts = cast.key.post("/contact/import", {"importType": "contact", "fileId": file}).data["import"]["_id"]
    assert [found["_id"] for found in cast.key.get("/lead/import").data] == [of_leads]
    assert [found["_id"] for found in cast.key.get("/contact/import").data] == [of_contacts]
    for caller, path in (
        (cast, f"/lead/import/{of_contacts}"),
        (cast, f"/contact/import/{of_leads}"),
        (outsiders, f"/lead/import/{of_leads}"),
    ):
        for answer in (
            caller.key.get(path),
            caller.key.put(path, {"status": "running"}),
            caller.key.get(f"{path}/errors"),
        ):
            assert (answer.status, answer.body["message"]) == (400, "Import not found.")
    assert cast.key.delete("/contact/import", {"ids": [of_leads]}).status == 400
    assert cast.key.post("/lead/import", {"importType": "contact", "fileId": file}).status == 400
    assert cast.key.post("/contact/import", {"importType": "lead", "fileId": file}).status == 400
    deleted = cast.key.delete("/lead/import", {"selectAll": True})
    assert (deleted.status, deleted.data) == (200, None)
    with cast.scope():
        assert list(Import.objects.filter(is_deleted=False).values_list("pk", flat=True)) == [of_contacts]


def test_roles(db: None) -> None:
    cast = make_cast({"lead": {"GET": True}})
    made = import_file(cast, csv_of([line(1)], HEADER))
    assert cast.narrow_session.get(f"/lead/import/{made['_id']}").status == 200
    assert cast.narrow_session.get("/contact/import").status == 403
    assert cast.narrow_session.put(f"/lead/import/{made['_id']}", {"status": "running"}).status == 403
    assert cast.narrow_session.post("/lead/import", {}).status == 403


@pytest.mark.parametrize("kind", IMPORT_TYPES.values(), ids=lambda kind: kind.name)
def test_every_import_type_keeps_the_contract_of_import_types(kind: ImportType, scope: Cast) -> None:
    schema = kind.schema.load()
    assert kind.name in Import.Type.values
    assert schema.kind.noun == kind.noun
    keys = [spec.key for spec in (*kind.fields, *kind.names)]
    assert len(keys) == len(set(keys))
    row, problems = schema.read({spec.key: "" for spec in kind.fields}, from_text=True, drop_invalid=True)
    assert problems == [] or row is None
    assert kind.missing_fields(schema, set()) != []
    assert kind.missing_fields(schema, set(kind.keys)) == []


def test_rows_name_their_place_in_a_pipeline(cast: Cast) -> None:
    stages = stage_ids(make_pipeline(cast))
    cast.key.post("/lost-reason", {"name": "Price"})
    header = "Email,Phone,Pipeline,Stage,Reason,Close"
    mapping = {
        "Email": "email",
        "Phone": "number",
        "Pipeline": "pipeline",
        "Stage": "stage",
        "Reason": "lostReason",
        "Close": "expectedCloseAt",
    }
    lines = [
        "a@example.org,+4930111111,wholesale,OFFERED,,31/03/2027",
        "b@example.org,+4930111112,Wholesale,Gone,price,2027-04-01",
        "c@example.org,+4930111113,,Qualified,,",
        "d@example.org,+4930111114,Wholesale,,,",
        "e@example.org,+4930111115,Nowhere,,,",
        "f@example.org,+4930111116,Wholesale,Qualified,,",
        "g@example.org,+4930111117,,,,soon",
    ]
    found = run(cast, lines, header, columnMapping=mapping)
    assert counts(found)[2] == 4
    with cast.scope():
        rows = Lead.objects.order_by("contact__email").values_list(
            "stage_id", "status", "lost_reason__name", "expected_close_at__date"
        )
        assert [(stage, status, reason, str(day)) for stage, status, reason, day in rows] == [
            (stages["Offered"], "new", None, "2027-03-31"),
            (stages["Gone"], "lost", "Price", "2027-04-01"),
            (stage_of_status("qualified").pk, "qualified", None, "None"),
            (stages["Asked"], "new", None, "None"),
        ]
