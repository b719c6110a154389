"""The command import_predecessor: records with their ids, references and times, and a repetition that adds nothing."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.models import Event
from tests.kit.cast import Cast

bson = pytest.importorskip("bson", reason="config/predecessor/requirements.txt is not installed")

from bson import ObjectId, json_util  # noqa: E402

AT = datetime(2023, 5, 4, 12, tzinfo=UTC)
COMPANY, OTHER = ObjectId(), ObjectId()
SIZE, COLOR, HOT, PRESS, TEA, ANN, BEA, LEAD, MAIL = (ObjectId() for _ in range(9))


def document(id: ObjectId, **values: Any) -> dict[str, Any]:
    return {"_id": id, "company": COMPANY, "createdAt": AT, "updatedAt": AT, "__v": 0, **values}


def collections() -> dict[str, list[dict[str, Any]]]:
    option = {"_id": ObjectId(), "label": "Red", "value": "red", "description": None}
    person = {"email": "ann@example.com", "countryCode": "+49", "number": "15112345678"}
    return {
        "customfields": [
            document(SIZE, name="Size", fieldType="number", panel="contact", uniqueFieldID="size"),
            document(COLOR, name="Colour", fieldType="select", options=[option]),
            document(ObjectId(), name="Email", fieldType="email", uniqueFieldID="email"),
            document(ObjectId(), name="Odd", fieldType="hologram"),
        ],
        "tags": [document(HOT, name="Hot", color="#ff0000")],
        "contactcategories": [document(PRESS, name="Press")],
        "productservices": [document(TEA, formData={"name": "Tea", "price": 2.5, "currency": "EUR"})],
        "contacts": [
            document(
                ANN,
                formData={"name": "Ann", **person, "size": 5, str(COLOR): "red", "shade": 1},
                tags=[HOT, ObjectId()],
                category=PRESS,
                unsubscribed=True,
            ),
            document(BEA, name="Bea", contactNumber="+4915112345679", size="many"),
            document(ObjectId(), name="Copy", email="ANN@example.com"),
            document(ObjectId(), name="Gone", isDeleted=True),
            document(ObjectId(), formData={}),
            {**document(ObjectId(), name="Other"), "company": OTHER},
        ],
        "leads": [
            document(LEAD, contact=ANN, productServices=[TEA], tags=[HOT], status="won", formData={"value": 12.5}),
            document(ObjectId(), contact=ObjectId(), formData={"notes": "nobody"}),
        ],
        "emailtemplates": [document(MAIL, name="Hello", subject="Hi", body="Hello", attachments=[ObjectId()])],
    }


@pytest.fixture(params=["json", "bson"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name, documents in collections().items():
        if request.param == "json":
            lines = [json_util.dumps(one, json_options=json_util.RELAXED_JSON_OPTIONS) for one in documents]
            (tmp_path / f"{name}.json").write_text("\n".join(lines))
        else:
            (tmp_path / f"{name}.bson").write_bytes(b"".join(map(bson.encode, documents)))
    return tmp_path


def run(folder: Path, cast: Cast, **options: Any) -> dict[str, list[int]]:
    """Run the command. Returns kind -> read, added, known, merged, deleted, refused, others."""
    out = StringIO()
    options = {"source_company": str(COMPANY), **options}
    call_command("import_predecessor", str(folder), company=cast.company.pk, stdout=out, **options)
    lines = [line.split() for line in out.getvalue().splitlines()]
    return {line[0]: [int(number) for number in line[1:]] for line in lines[1:8]}


def test_records_keep_their_ids_references_and_times(cast: Cast, folder: Path, tmp_path: Path) -> None:
    with cast.scope():
        before = Event.objects.count()
    report = tmp_path / "problems.csv"
    assert run(folder, cast, report=report) == {
        "custom-field": [4, 2, 0, 1, 0, 1, 0],
        "tag": [1, 1, 0, 0, 0, 0, 0],
        "contact-category": [1, 1, 0, 0, 0, 0, 0],
        "product-service": [1, 1, 0, 0, 0, 0, 0],
        "contact": [6, 2, 0, 1, 1, 1, 1],
        "lead": [2, 1, 0, 0, 0, 1, 0],
        "template": [1, 1, 0, 0, 0, 0, 0],
    }
    ann = cast.key.get(f"/contact/{ANN}").data
    assert (ann["name"], ann["email"], ann["contactNumber"]) == ("Ann", "ann@example.com", "+4915112345678")
    assert (ann["formData"]["size"], ann["formData"][str(COLOR)]) == (5, "red")
    assert ([tag["_id"] for tag in ann["tags"]], ann["category"]["_id"]) == ([str(HOT)], str(PRESS))
    assert (ann["createdAt"], ann["updatedAt"]) == ("2023-05-04T12:00:00.000Z", "2023-05-04T12:00:00.000Z")
    assert (ann["unsubscribed"], ann["unsubscribedAt"]) == (True, "2023-05-04T12:00:00.000Z")
    bea = cast.key.get(f"/contact/{BEA}").data
    assert (bea["countryCode"], bea["number"], bea["unsubscribed"]) == ("+49", "15112345679", False)
    lead = cast.key.get(f"/lead/{LEAD}").data
    assert (lead["contact"]["_id"], lead["status"], lead["value"]) == (str(ANN), "won", 12.5)
    assert [one["_id"] for one in lead["productServices"]] == [str(TEA)]
    assert cast.key.get(f"/product-service/{TEA}").data["price"] == 2.5
    assert cast.key.get(f"/template/email/{MAIL}").data["subject"] == "Hi"
    assert [one["_id"] for one in cast.key.get("/contact", filters={str(COLOR): "red"}).data] == [str(ANN)]
    with report.open() as file:
        problems = {(row["kind"], row["field"], row["text"]) for row in csv.DictReader(file)}
    assert ("contact", "shade", "there is no such field") in problems
    assert any(kind == "contact" and field == "size" and "is not a number" in text for kind, field, text in problems)
    assert any(kind == "contact" and field == "email" and "already" in text for kind, field, text in problems)
    assert any(kind == "lead" and field == "contact" for kind, field, _ in problems)
    assert ("template", "attachments", "files are not imported") in problems
    with cast.scope():
        made = Event.objects.order_by("-pk")[: Event.objects.count() - before]
        assert all(not event.automation for event in made)


def test_a_repetition_adds_nothing_and_changes_nothing(cast: Cast, folder: Path) -> None:
    run(folder, cast)
    assert cast.key.put(f"/contact/{ANN}", {"name": "Ann Other"}).status == 200
    again = run(folder, cast)
    assert {kind: counts[1] for kind, counts in again.items()} == dict.fromkeys(again, 0)
    assert again["contact"] == [6, 0, 2, 1, 1, 1, 1]
    assert cast.key.get(f"/contact/{ANN}").data["name"] == "Ann Other"
    assert cast.key.get("/contact", p=1, n=10).body["totalCount"] == 2


def test_records_of_the_same_name_stand_for_theirs(cast: Cast, folder: Path) -> None:
    tag = cast.key.post("/tag", {"name": "HOT"}).data["_id"]
    field = cast.key.post("/custom-field", {"name": "size", "fieldType": "number"}).data["_id"]
    found = run(folder, cast)
    assert (found["tag"][3], found["custom-field"][3]) == (1, 2)
    ann = cast.key.get(f"/contact/{ANN}").data
    assert ([one["_id"] for one in ann["tags"]], ann["formData"][field]) == ([tag], 5)


def test_ids_of_another_company_are_refused(cast: Cast, outsiders: Cast, folder: Path) -> None:
    run(folder, outsiders)
    found = run(folder, cast)
    assert {kind: counts[1] for kind, counts in found.items()} == {**dict.fromkeys(found, 0), "contact": 1}
    assert [one["name"] for one in cast.key.get("/contact").data] == ["Copy"], "nobody there has its _id"
    assert outsiders.key.get(f"/contact/{ANN}").data["name"] == "Ann"


def test_what_is_wrong_is_said_before_anything_is_written(cast: Cast, folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for place, options, said in (
        (folder, {"source_company": ""}, "--source-company: name one of"),
        (folder / "nowhere", {}, "is no folder"),
        (empty, {}, "has no collection that is imported"),
    ):
        with pytest.raises(CommandError, match=said):
            run(place, cast, **options)
    with pytest.raises(CommandError, match="there is no company"):
        call_command("import_predecessor", str(folder), company="f" * 24)
    assert cast.key.get("/contact").data == []
