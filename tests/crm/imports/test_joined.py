"""Several columns that feed the number or the address of a contact."""

from __future__ import annotations

from typing import Any

from crm.models import Contact, CustomField
from tests.crm.bulk_jobs import helpers as jobs
from tests.crm.imports import helpers
from tests.kit.cast import Cast, make_cast

OUTLOOK = "Name,Email Address,Email 2 Address,Business Phone,Mobile Phone,Home Phone"
MAPPING = {
    "Name": "name",
    "Email Address": "email",
    "Email 2 Address": "email",
    "Business Phone": "number",
    "Mobile Phone": "number",
    "Home Phone": "number",
}
ROWS = [
    "Ada,ada@fern.example,a2@fern.example,+49 30 1234561,+49 170 1234561,",
    "Bo,bo@fern.example,,,+49 170 1234562,",
    "Cy,not an address,cy@fern.example,see below,+49 170 1234563,+49 170 1234563",
    "Di,di@fern.example,DI@fern.example,+49 30 1234564,x,",
    "Ed,ed@fern.example,,x,y,",
]


def own_values(job: str) -> dict[str, dict[str, Any]]:
    """Return name -> number, address and further values by the names of their fields."""
    names = dict(CustomField.objects.values_list("unique_field_id", "name"))
    return {
        contact.name: {
            "number": contact.contact_number,
            "email": contact.email,
            **{names[key]: value for key, value in contact.custom.items()},
        }
        for contact in Contact.objects.filter(import_job_id=job)
    }


def test_first_valid_value_counts_and_others_are_kept(scope: Cast) -> None:
    job = helpers.run(scope, helpers.csv_of(ROWS, OUTLOOK), columnMapping=MAPPING)
    assert own_values(job["_id"]) == {
        "Ada": {
            "number": "+49301234561",
            "email": "ada@fern.example",
            "Email 2 Address": "a2@fern.example",
            "Mobile Phone": "+491701234561",
        },
        "Bo": {"number": "+491701234562", "email": "bo@fern.example"},
        "Cy": {"number": "+491701234563", "email": "cy@fern.example"},
        "Di": {"number": "+49301234564", "email": "di@fern.example"},
    }
    found = {(one["row"], one["column"]): (one["failed"], one["message"]) for one in job["rowErrors"] if one["column"]}
    assert {place: failed for place, (failed, _) in found.items()} == {
        (4, "Email Address"): False,
        (4, "Business Phone"): False,
        (5, "Mobile Phone"): False,
        (6, "Business Phone"): True,
    }
    assert found[4, "Email Address"][1].endswith("The row was imported without this value.")
    fields = CustomField.objects.filter(panel="contact", is_system=False)
    assert dict(fields.values_list("name", "field_type")) == {
        "Email 2 Address": "email",
        "Mobile Phone": "phone",
        "Home Phone": "phone",
    }


def test_empty_columns_make_no_fields(scope: Cast) -> None:
    helpers.run(scope, helpers.csv_of(["Ada,a@b.example,,,+49 170 1234561,"], OUTLOOK), columnMapping=MAPPING)
    assert not CustomField.objects.filter(is_system=False).exists()


def test_a_cell_holds_several_values(scope: Cast) -> None:
    """Google writes them in one cell."""
    rows = [
        "Ada,a1@g.example ::: a2@g.example ::: A1@g.example,+1 415 555 0101 ::: +1 415 555 0102",
        "Bo,bo@g.example,nobody ::: +1 415 555 0103",
    ]
    header = "Name,Email 1 - Value,Phone 1 - Value"
    mapping = {"Name": "name", "Email 1 - Value": "email", "Phone 1 - Value": "number"}
    job = helpers.run(scope, helpers.csv_of(rows, header), columnMapping=mapping)
    assert own_values(job["_id"]) == {
        "Ada": {
            "number": "+14155550101",
            "email": "a1@g.example",
            "Email 1 - Value": "a2@g.example",
            "Phone 1 - Value": "+14155550102",
        },
        "Bo": {"number": "+14155550103", "email": "bo@g.example"},
    }


def test_country_code_applies_to_all_columns(scope: Cast) -> None:
    header, row = "Name,Email,Country code,Phone,Mobile", "Ada,ada@fern.example,+49,030 1234561,0170 1234561"
    mapping = helpers.MAPPING | {"Mobile": "number"}
    job = helpers.run(scope, helpers.csv_of([row], header), columnMapping=mapping)
    assert own_values(job["_id"])["Ada"] == {
        "number": "+49301234561",
        "email": "ada@fern.example",
        "Mobile": "+491701234561",
    }


def test_fields_are_used_again_and_undo_offers_those_made(scope: Cast) -> None:
    content = helpers.csv_of(ROWS[:1], OUTLOOK)
    job = helpers.run(scope, content, columnMapping=MAPPING)
    fields = set(CustomField.objects.filter(is_system=False).values_list("name", flat=True))
    assert fields == {"Email 2 Address", "Mobile Phone"}
    scope.key.post(f"/contact/import/{job['_id']}/undo")
    jobs.work()
    empty = scope.key.get(f"/contact/import/{job['_id']}/undo").data["emptyFields"]
    assert {one["name"] for one in empty} == fields
    again = helpers.run(scope, content, columnMapping=MAPPING)
    assert own_values(again["_id"])["Ada"]["Mobile Phone"] == "+491701234561"
    assert CustomField.objects.filter(is_system=False).count() == 2


def test_a_second_import_acts_as_the_first(scope: Cast) -> None:
    """A column that has a field for its further values still feeds the number."""
    header = "Name,Email,Email 2,Phone,Phone 2"
    first = ["Ada,ada@fern.example,a2@fern.example,+49 30 1234561,+49 170 1234561"]
    second = [
        "Bo,bo@fern.example,b2@fern.example,see below,+49 170 1234562",
        "Cy,cy@fern.example,c2@fern.example,+49 30 1234563,+49 170 1234563",
    ]
    jobs = [helpers.run(scope, helpers.csv_of(rows, header), columnMapping={}) for rows in (first, second)]
    mapping = {"Name": "name", "Email": "email", "Email 2": "email", "Phone": "number", "Phone 2": "number"}
    assert [job["columnMapping"] for job in jobs] == [mapping, mapping]
    assert own_values(jobs[1]["_id"]) == {
        "Bo": {"number": "+491701234562", "email": "bo@fern.example", "Email 2": "b2@fern.example"},
        "Cy": {
            "number": "+49301234563",
            "email": "cy@fern.example",
            "Email 2": "c2@fern.example",
            "Phone 2": "+491701234563",
        },
    }
    assert CustomField.objects.filter(is_system=False).count() == 2


def test_a_column_that_was_mapped_by_hand_feeds_the_number_again(scope: Cast) -> None:
    header, rows = "Name,Email,Phone,Night line", ["Ada,ada@fern.example,+49 30 1234561,0170 1234561"]
    mapping = {"Name": "name", "Email": "email", "Phone": "number", "Night line": "number"}
    options = {"country": "DE"}
    helpers.run(scope, helpers.csv_of(rows, header), columnMapping=mapping, options=options)
    again = helpers.make(scope, helpers.csv_of(["Bo,bo@fern.example,,0170 1234562"], header), options=options)
    assert again["columnMapping"] == mapping


def test_an_own_field_of_the_columns_name_keeps_it(scope: Cast) -> None:
    values = {"name": "Phone 2", "fieldType": "phone", "panel": "contact"}
    key = scope.key.post("/custom-field", values).data["uniqueFieldID"]
    header = "Name,Email,Phone,Phone 2"
    made = helpers.make(scope, helpers.csv_of(["Ada,ada@fern.example,+49 30 1234561,+49 170 1234561"] * 2, header))
    assert made["columnMapping"]["Phone 2"] == key


def test_a_field_of_another_type_is_left_alone(scope: Cast) -> None:
    values = {"name": "Mobile Phone", "fieldType": "number", "panel": "contact"}
    assert scope.key.post("/custom-field", values).status == 201
    job = helpers.run(scope, helpers.csv_of(ROWS[:1], OUTLOOK), columnMapping=MAPPING)
    assert own_values(job["_id"])["Ada"]["Mobile Phone 2"] == "+491701234561"


def test_the_check_does_the_same_and_makes_nothing(scope: Cast) -> None:
    made = helpers.make(scope, helpers.csv_of(ROWS, OUTLOOK), columnMapping=MAPPING)
    checked = scope.key.post(f"/contact/import/{made['_id']}/check").data
    assert (checked["created"], checked["failed"]) == (4, 1)
    assert not CustomField.objects.filter(is_system=False).exists()


def test_who_may_not_create_fields_is_refused(db: None) -> None:
    cast = make_cast({"contact": dict.fromkeys(("GET", "POST", "PUT"), True), "file": {"GET": True}})
    with cast.scope():
        made = helpers.make(cast, helpers.csv_of(ROWS, OUTLOOK), columnMapping=MAPPING)
        path = f"/contact/import/{made['_id']}"
        for refused in (cast.narrow_session.put(path, {}), cast.narrow_session.post(path + "/check")):
            assert refused.status == 400
            assert "the column 'Email 2 Address' need a custom field" in refused.body["warning"]
        one_each = {"Name": "name", "Email Address": "email", "Mobile Phone": "number"}
        assert cast.narrow_session.put(path, {"columnMapping": one_each}).status == 200
