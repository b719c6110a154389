"""Tests of forms: refusals at their fields, values, and the addresses of lists."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.validators import RegexValidator
from django.http import QueryDict
from rest_framework import serializers

from core.api.input import Input, TextInput, read
from core.api.refusals import refusal_of
from core.errors import ApiError, DuplicateField, FieldError, NamedError, PermissionLacking, ValidationFailed
from core.types import JsonObject
from core.web.ask import NOT_ALLOWED, Answer
from core.web.filters import Choice
from core.web.forms import Field, Form, Option, name_below
from core.web.forms.from_input import form_from_input
from core.web.lists import Column, ListState
from crm.records.problems import ValueProblem, problems_error


def form() -> Form:
    fields = [
        Field("name", "Name"),
        Field("email", "Email"),
        Field("size", "Size", "number"),
        Field("on", "On", "switch"),
    ]
    return Form(fields=fields)


def many_fields() -> Form:
    """Return a form with fields of several kinds."""
    fields = [
        Field("name", "Name"),
        Field("email", "Email"),
        Field("size", "Size", "number"),
        Field("on", "On", "switch"),
        Field("allowedIps", "Addresses", "textarea"),
        Field("shoe", "Shoe size", "number"),
        Field("secret", "Secret", "password"),
    ]
    return Form(fields=fields)


def answer_to(error: ApiError) -> Answer:
    """Return the answer of the API to a request that raises the error."""
    refusal = refusal_of(error)
    return Answer(refusal.status, refusal.body(), failure=refusal)


def custom(key: str) -> NamedError:
    """Return the error of a custom field, whose text begins with its name."""
    return problems_error([ValueProblem(key, "BadRequest_400", "is no number", "Shoe size")])


class Rows(Input):
    name = TextInput()
    allowedIps = serializers.ListField(child=serializers.IPAddressField())

    def validate(self, attrs: Any) -> Any:
        raise serializers.ValidationError("needs more than this")


LABELLED = FieldError(field="size", message="Size: is no number", text="is no number")


def schema_error(body: JsonObject) -> ApiError:
    """Return the error of a body that the schema refuses."""
    with pytest.raises(ApiError) as raised:
        read(Rows, body)
    return raised.value


ANOTHER = "Another record has this value already."
WRONG = "Some values are missing or wrong."


def required_form(**initial: Any) -> Form:
    """Return a form of required fields, with a record's values if there are any."""
    fields = [
        Field("name", "Name", required=True),
        Field("stage", "Stage", "select", required=True, options=[Option("a", "A")]),
        Field("tags", "Tags", "checks", required=True, options=[Option("a", "A")]),
        Field("size", "Size", "number", required=True),
        Field("on", "On", "switch", required=True),
        Field("secret", "Secret", "password"),
    ]
    return Form(fields=fields, initial=initial)


def test_required_fields_are_refused_where_they_are_empty() -> None:
    bound = required_form().bind(QueryDict("name=+&stage=&size=&secret=abc"))
    assert bound.refused_fields == []  # a form that is only shown again
    assert (bound.is_valid(), bound.is_valid()) == (False, False)
    errors = {field.name: field.error for field in bound if field.error}
    assert errors == {
        "name": "Enter a value.",
        "stage": "Choose a value.",
        "tags": "Choose a value.",
        "size": "Enter a value.",
        "secret": "Enter this value again.",
    }


def test_zero_and_false_are_values() -> None:
    bound = required_form().bind(QueryDict("name=0&stage=a&tags=a&size=0"))
    assert (bound.is_valid(), bound.cleaned_data["size"], bound.cleaned_data["on"]) == (True, 0, False)


def test_empty_values_that_were_not_sent_or_touched_stay() -> None:
    record = {"name": "", "stage": "a", "tags": ["a"], "size": 5}
    assert required_form(**record).bind(QueryDict("name=&stage=a&tags=a&size=5")).is_valid()
    assert required_form().bind({"tags": ["a"]}).is_valid()
    cleared = required_form(**record).bind(QueryDict("name=&stage=a&tags=a&size="))
    assert (cleared.is_valid(), [field.name for field in cleared.refused_fields]) == (False, ["size"])


def test_validators_are_asked() -> None:
    field = Field("code", "Code")
    field.validators = [RegexValidator("^[A-Z]+$", "Use capitals only.")]
    assert Form(fields=[field.copy()]).bind({"code": "AB"}).is_valid()
    assert Form(fields=[field.copy()]).bind({"code": ""}).is_valid()
    refused = Form(fields=[field]).bind({"code": "ab"})
    assert (refused.is_valid(), refused["code"].error) == (False, "Use capitals only.")


@pytest.mark.parametrize(
    ("error", "errors", "trouble"),
    [
        (NamedError("BadRequest_400", "has a; b: c", field="formData.email"), {"email": "Has a; b: c."}, []),
        (NamedError("BadRequest_400", "is wrong", field="rows[2].email"), {"email": "Is wrong."}, []),
        (NamedError("BadRequest_400", "size", errors=[LABELLED]), {"size": "Is no number."}, []),
        (DuplicateField("email"), {"email": ANOTHER}, []),
        (DuplicateField(("name", "email")), dict.fromkeys(("name", "email"), ANOTHER), []),
        (ValidationFailed("no", "There is a place: none"), {}, [WRONG, "There is a place: none."]),
        (ValidationFailed("bad", "is wrong", field="other"), {}, [WRONG, "Other: Is wrong."]),
        (custom("shoe"), {"shoe": "Is no number."}, []),
        (custom("hat"), {}, ["Shoe size: is no number."]),
        (PermissionLacking("file.GET", field="name"), {}, [NOT_ALLOWED]),
    ],
)  # fmt: skip
def test_refusals_find_their_fields(error: ApiError, errors: dict[str, str], trouble: list[str]) -> None:
    filled = many_fields()
    filled.refuse(answer_to(error))
    assert {field.name: field.error for field in filled.refused_fields} == errors
    assert list(filled.non_field_errors())[-len(trouble) :] == trouble if trouble else filled.refused_fields


def test_each_refused_field_of_a_body_has_its_error() -> None:
    filled = many_fields()
    filled.refuse(answer_to(schema_error({"name": 5, "allowedIps": ["10.0.0.1", "x", "y"], "more": 1})))
    assert {field.name: field.error for field in filled.refused_fields} == {}
    assert filled.non_field_errors()[-1] == "More: This can't be set here. Reload the page."
    filled.refuse(answer_to(schema_error({"name": 5, "allowedIps": ["10.0.0.1", "x", "y"]})))
    invalid = "Enter a valid IPv4 or IPv6 address."
    assert {field.name: field.error for field in filled.refused_fields} == {
        "name": "Must be text.",
        "allowedIps": f"{invalid} {invalid}",
    }
    assert filled.refused_fields[0].aria_describedby == "f-name-error"


def test_an_error_of_the_whole_body_stands_above_even_if_a_field_is_called_body() -> None:
    filled = Form(fields=[Field("body", "Text")])
    filled.refuse(answer_to(schema_error({"name": "a", "allowedIps": []})))
    assert (filled.refused_fields, filled.non_field_errors()[-1]) == ([], "Needs more than this.")


def test_a_form_of_one_row_keeps_the_errors_of_others_above() -> None:
    errors = [FieldError(field=f"rows.{at}.name", message=f"bad {at}") for at in (2, 3)]
    error = NamedError("BadRequest_400", errors=errors)
    filled = many_fields()
    filled.refuse(answer_to(error), name_below("rows.3."))
    assert {field.name: field.error for field in filled.refused_fields} == {"name": "Bad 3."}
    assert filled.non_field_errors() == ["Name (3): Bad 2."]


def test_a_refused_form_asks_again_for_its_secrets() -> None:
    filled = many_fields().bind(QueryDict("secret=abc"))
    filled.refuse(answer_to(NamedError("BadRequest_400", "is required", field="name")))
    assert [field.name for field in filled.refused_fields] == ["name", "secret"]


def test_codes_and_values_of_a_refusal_reach_the_page_and_no_body() -> None:
    error = NamedError("BadRequest_400", "2 of 3 do not fit", field="size", code="unfit", params={"count": 2})
    answer = answer_to(error)
    assert (answer.code, answer.params, answer.refuses("size"), answer.reason) == (
        "unfit",
        {"count": 2},
        True,
        "2 of 3 do not fit.",
    )
    assert not {"code", "params"} & answer.body.keys()
    assert answer.body["errors"] == [{"field": "size", "message": "2 of 3 do not fit"}]


def test_an_unreadable_input_is_shown_again_and_not_cleaned() -> None:
    zone = "Europe/Berlin"
    typed = Form(fields=[Field("at", "When", "datetime", zone=zone), Field("name", "Name")])
    typed.bind(QueryDict("at=2026-03-29T02:30&name=Ann"))
    assert not typed.is_valid()
    assert typed.cleaned_data == {"name": "Ann"}
    assert typed.values == {"at": "2026-03-29T02:30", "name": "Ann"}
    assert typed["at"].error.startswith("The clocks of Europe/Berlin skip this time")


def test_a_records_untouched_value_stays_to_the_last_character() -> None:
    before = {"name": " Ann\nLee ", "size": 12.5, "tags": ["b", "a"], "on": True}
    fields = [*form().fields.values(), Field("tags", "Tags", "checks", options=[Option("a", "A"), Option("b", "B")])]
    sent = QueryDict("name=+Ann%0D%0ALee+&size=12.5&on=on&tags=a&tags=b")
    edited = Form(fields=fields, initial=before).bind(sent)
    assert edited.is_valid()
    assert edited.changed_data == []
    assert {name: edited.cleaned_data[name] for name in before} == before
    assert Form(fields=fields, initial=before).bind(QueryDict("name=Bo&size=12.5&on=on")).changed(before) == {
        "name": "Bo",
        "tags": [],
    }


def test_a_field_that_was_not_rendered_stays_as_it_was() -> None:
    sent = QueryDict("name=Bo", mutable=True)
    edited = Form(fields=form().fields.values(), initial={"on": True})
    assert edited.bind(sent).cleaned_data["on"] is False
    sent["opened"] = '{"name": ""}'
    assert edited.bind(sent).cleaned_data["on"] is True


class Drink(Input):
    name = TextInput(max_length=200)
    about = TextInput(max_length=5000, allow_blank=True, required=False)
    size = serializers.ChoiceField(choices=("small", "large"))
    hot = serializers.BooleanField(required=False)
    litres = serializers.FloatField(required=False)
    tags = serializers.ListField(child=TextInput(), required=False)


def test_a_form_is_made_from_an_input_of_the_api() -> None:
    labels = dict.fromkeys(("size", "name", "about", "hot", "litres", "tags"), "Label")
    form_class = form_from_input(Drink, labels, kinds={"size": "radio"}, help_texts={"hot": "Or cold."}, focus="name")
    made = form_class()
    assert [(field.name, field.kind, field.required) for field in made] == [
        ("size", "radio", True),
        ("name", "text", True),
        ("about", "textarea", False),
        ("hot", "switch", False),
        ("litres", "number", False),
        ("tags", "checks", False),
    ]
    assert (made["hot"].help_text, made["hot"].label) == ("Or cold.", "Label")
    assert [form_class(initial=values).fields["name"].autofocus for values in (None, {"name": "Tea"})] == [True, False]
    assert not form_class().fields["about"].autofocus
    sent = form_class(QueryDict("name=Tea&litres=0.5&hot=on&tags=a"))
    assert sent.is_valid()
    assert sent.cleaned_data == {"size": "", "name": "Tea", "about": "", "hot": True, "litres": 0.5, "tags": ["a"]}
    with pytest.raises(TypeError, match="Drink has no colour"):
        form_from_input(Drink, {"colour": "Colour"})


def test_django_draws_a_form_by_the_projects_templates() -> None:
    drawn = str(Form(fields=[Field("name", "Name", required=True, help_text="As it is <called>.")]))
    assert re.search(r'<label for="f-name">Name <span class="required">required</span\s*></label>', drawn)
    assert 'id="f-name" name="name" type="text"' in drawn
    assert 'aria-describedby="f-name-help"' in drawn
    assert "As it is &lt;called&gt;." in drawn


def test_values_have_the_types_of_the_api() -> None:
    made = form().bind(QueryDict("name= Ann &size=12&on=on&email="))
    assert made.values == {"name": "Ann", "email": "", "size": 12, "on": True}
    assert form().bind(QueryDict("size=1.5")).values["size"] == 1.5
    assert form().bind(QueryDict("size=many")).values["size"] == "many"
    assert made.changed({"name": "Ann", "size": 13, "email": None, "on": True}) == {"size": 12}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("(utc+01:00) europe/berlin", "Europe/Berlin"),
        ("europe", "europe"),  # several: the API refuses it
        ("Moon", "Moon"),
        ("", ""),
    ],
)
def test_one_of_many_options_is_found_by_a_part_of_it(typed: str, found: str) -> None:
    zones = [Option(f"Europe/{town}", f"(UTC+01:00) Europe/{town}") for town in ("Berlin", "Paris")]
    form = Form(
        fields=[Field("zone", "Time zone", "search", options=[*zones, Option("America/New_York", "(UTC-05:00)")])]
    )
    sent = QueryDict(mutable=True)
    sent["zone"] = typed
    assert form.bind(sent).values == {"zone": found}


def test_a_lists_address_says_everything() -> None:
    choices = {"city": Choice("city", "City"), "tags": Choice("tags", "Tag", ("in",), (("1", "Fair"),))}
    address = "q=a%26b&f=city:contains:Bo%3Ann&f=tags:in:1&f=x:y:z&f=city:isEmpty:&sort=-name&cursor=c"
    state = ListState(QueryDict(address), choices)
    assert state.query() == {
        "n": "50",
        "cursorPagination": "true",
        "searchValue": "a&b",
        "advancedFilters": {
            "operator": "and",
            "conditions": [
                {"field": "city", "operator": "contains", "value": "Bo:nn"},
                {"field": "tags", "operator": "in", "value": ["1"]},
                {"field": "city", "operator": "isEmpty"},
            ],
        },
        "sortBy": "name",
        "sortOrder": "desc",
        "cursor": "c",
    }
    assert [(chip.label, chip.operator, chip.value) for chip in state.chips] == [
        ("City", "contains", "Bo:nn"),
        ("Tag", "is", "Fair"),
        ("City", "is empty", ""),
    ]
    assert "Bo" not in state.chips[0].without
    assert state.sorted_by(Column("name", "Name", "name"))[0] == "descending"
    assert "cursor" not in state.link()
    assert state.more("next", 50) == (state.link(cursor="next", seen="50"), True)
