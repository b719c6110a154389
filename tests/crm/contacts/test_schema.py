"""Reading formData: what importers and updates need beyond what POST /contact shows."""

from __future__ import annotations

from crm.contacts.schema import ContactSchema
from crm.field_types import TextFormat
from crm.models import CustomField
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory


def test_cells_of_a_file(scope: Cast) -> None:
    add_field("score", "number", "number")
    add_field("since", "date", "date")
    add_field("note")
    schema = ContactSchema.load()
    row, problems = schema.read(
        {
            "name": " Ann ",
            "email": "ann@example.com",
            "countryCode": 49,
            "number": "0170 1234567",
            "score": "1.234,5",
            "since": "1.2.2026",
            "note": "",
        },
        from_text=True,
        index=7,
    )
    assert problems == []
    assert row is not None
    assert row.index == 7
    assert row.system == {
        "name": "Ann",
        "email": "ann@example.com",
        "country_code": "+49",
        "number": "1701234567",
        "contact_number": "+491701234567",
    }
    assert row.custom == {"score": 1234.5, "since": "2026-02-01"}
    row, problems = schema.read({**form(1), "since": "1/2/2026"}, from_text=TextFormat("MM/DD/YYYY"))
    assert row is not None
    assert row.custom == {"since": "2026-01-02"}


def test_empty_cells_count_as_not_given(scope: Cast) -> None:
    add_field("note", default_value="-")
    schema = ContactSchema.load()
    row, _ = schema.read({**form(1), "name": None, "note": "  "}, from_text=True)
    assert row is not None
    assert "name" not in row.system
    assert row.custom == {}
    assert schema.stored_custom(row) == {"note": "-"}
    none, problems = schema.read({"email": "", "countryCode": None, "number": " "}, from_text=True)
    assert none is None
    assert [(problem.key, problem.name, problem.message) for problem in problems] == [
        ("email", "ContactDataRequired_400", "is required"),
        ("number", "ContactDataRequired_400", "is required"),
    ]


def test_an_international_number_brings_its_prefix(scope: Cast) -> None:
    row, problems = ContactSchema.load().read({"email": "ann@example.com", "number": "+49 170 1234567"})
    assert problems == []
    assert row is not None
    assert (row.system["country_code"], row.system["contact_number"]) == ("+49", "+491701234567")


def test_an_invalid_number_is_not_told_as_a_missing_prefix(scope: Cast) -> None:
    _, problems = ContactSchema.load().read(form(1, number="x"))
    assert [(problem.key, problem.name) for problem in problems] == [("number", "InvalidSystemField_400")]
    _, problems = ContactSchema.load().read(form(1, countryCode="x"))
    assert [(problem.key, problem.name) for problem in problems] == [("countryCode", "InvalidSystemField_400")]


def test_what_is_required_can_be_relaxed(scope: Cast) -> None:
    CustomField.objects.filter(unique_field_id__in=["number", "countryCode"]).update(required=False)
    schema = ContactSchema.load()
    row, problems = schema.read({"email": "ann@example.com", "number": "x"}, drop_invalid=True)
    assert row is not None
    assert row.system == {"email": "ann@example.com"}
    assert [problem.key for problem in problems] == ["number"]
    assert schema.keys_of(row.system) == ("ann@example.com", None)


def test_members_and_files_are_looked_up_together(
    scope: Cast, outsiders: Cast, django_assert_num_queries: object
) -> None:
    add_field("seller", "select", "member")
    add_field("papers", "file", "array")
    schema = ContactSchema.load()
    known = MemberFactory().pk
    foreign = outsiders.owner.pk
    rows = [schema.read(form(n, seller=owner))[0] for n, owner in enumerate((known, foreign, known))]
    rows.append(schema.read(form(9, papers=["65a1b2c3d4e5f60718293a4b"]))[0])
    with django_assert_num_queries(2):  # type: ignore[operator]
        problems = schema.check_references(rows, drop_invalid=True)  # type: ignore[arg-type]
    assert {position: [str(problem) for problem in found] for position, found in problems.items()} == {
        1: [f"seller: there is no member {foreign} in this company"],
        3: ["papers: there is no file 65a1b2c3d4e5f60718293a4b in this company"],
    }
    assert [row.custom for row in rows if row] == [{"seller": known}, {}, {"seller": known}, {}]
