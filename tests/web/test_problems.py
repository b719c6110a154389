"""Errors of the API's fields, as pages show them."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework import serializers

from core.api.input import Input, LineInput, ObjectIdInput, read
from core.api.refusals import refusal_of
from core.errors import WHOLE_BODY, ApiError, FieldError, NamedError, message_of
from core.web.ask import Answer
from core.web.forms import Field, Form
from core.web.words.problems import field_words, named_problem, problem_text, reason_text
from outreach.messaging.email_templates.pages import EmailTemplateForm

PLACE = "65a1b2c3d4e5f60718293a4b"


class ThingInput(Input):
    name = LineInput(max_length=5, min_length=2)
    stage = serializers.ChoiceField(choices=["open", "won"], required=False)
    owner = ObjectIdInput(required=False)
    intervalMs = serializers.IntegerField(min_value=10, max_value=20, required=False)
    tags = serializers.ListField(child=serializers.CharField(), max_length=1, required=False)


class ThingForm(Form):
    name = Field(label="Name")
    stage = Field(label="Stage", kind="select")
    owner = Field(label="Owner", kind="select")
    tags = Field(label="Tags", kind="tags")


def refused(body: object) -> Answer:
    with pytest.raises(ApiError) as caught:
        read(ThingInput, body)
    failure = refusal_of(caught.value)
    return Answer(failure.status, failure.body(), failure=failure)


@pytest.mark.parametrize(
    ("body", "field", "text"),
    [
        ({}, "name", "Enter a value."),
        ({"name": ""}, "name", "Enter a value."),
        ({"name": None}, "name", "Enter a value."),
        ({"name": "x" * 6}, "name", "Enter at most 5 characters."),
        ({"name": "x"}, "name", "Enter at least 2 characters."),
        ({"name": "xy", "stage": None}, "stage", "Choose a value."),
        ({"name": "xy", "stage": "lost"}, "stage", "Choose one of the options."),
        ({"name": "xy", "owner": "somebody"}, "owner", "Choose one of the options."),
        ({"name": "xy", "tags": ["a", "b"]}, "tags", "Choose at most 1."),
    ],
)
def test_a_field_shows_what_to_do(body: dict[str, Any], field: str, text: str) -> None:
    form = ThingForm()
    form.refuse(refused(body))
    assert (form[field].error, form.non_field_errors()) == (text, [])


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (None, "Interval ms: Enter a value."),
        (9, "Interval ms: Enter a number of at least 10."),
        (21, "Interval ms: Enter a number of at most 20."),
    ],
)
def test_a_field_that_the_form_lacks_is_named_in_words(interval: int | None, text: str) -> None:
    form = ThingForm()
    answer = refused({"name": "xy", "intervalMs": interval})
    assert answer.body["message"].startswith("Validation error: intervalMs: ")
    form.refuse(answer)
    assert form.non_field_errors() == ["Some values are missing or wrong.", text]


def test_an_unknown_key_is_not_repeated() -> None:
    answer = refused({"name": "xy", "colourOfHair": 1})
    assert "colourOfHair" in answer.body["message"]
    assert "colourOfHair" not in answer.refusal
    assert "intervalMs" not in answer.refusal


def test_a_refusal_is_a_message_and_its_reasons() -> None:
    answer = refused({"stage": "lost"})
    assert answer.refusal == (
        "Some values are missing or wrong. Name: Enter a value. Stage: Choose one of the options."
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("_alone")
def test_a_named_refusal_has_no_path() -> None:
    failure = refusal_of(NamedError("ApiNotFound_400", "there is no such key in this company", field="id"))
    answer = Answer(failure.status, failure.body(), failure=failure)
    assert answer.refusal == "API key not found."
    failure = refusal_of(NamedError("ApiNotFound_400"))
    assert Answer(failure.status, failure.body(), failure=failure).refusal == "API key not found."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            NamedError("TeamNotFound_400", f"there is no team {'a' * 24} in this company", field="team"),
            "This choice no longer",
        ),
        (
            NamedError("TagNotFound_400", f"there is no tag {'a' * 24} in this company", field="team"),
            "This choice no longer",
        ),
        (NamedError("CountryNotFound_400", "choose a country, such as Germany", field="team"), "Choose a country"),
        (NamedError("InvalidInput_400", "choose a team", field="team"), "Choose a team."),
    ],
)
def test_a_missing_record_is_an_error_without_its_id(error: NamedError, text: str) -> None:
    failure = refusal_of(error)
    form = Form(fields=[Field("team", label="Team")])
    form.refuse(Answer(failure.status, failure.body(), failure=failure))
    assert (form["team"].error.startswith(text), "a" * 24 in form["team"].error) == (True, False)
    other = Form(fields=[Field("name", label="Name")])
    other.refuse(Answer(failure.status, failure.body(), failure=failure))
    assert "a" * 24 not in " ".join(other.non_field_errors())


@pytest.mark.django_db
def test_a_template_that_is_written_is_not_one_to_choose() -> None:
    failure = refusal_of(NamedError("InvalidEmailTemplate_400", "choose at most 10 files", field="attachments"))
    form = EmailTemplateForm()
    form.refuse(Answer(failure.status, failure.body(), failure=failure))
    assert list(form.non_field_errors()) == ["Choose at most 10 files."]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("name", "Name"),
        ("items.0.intervalMs", "Interval ms (1)"),
        ("fields.12", "Fields (13)"),
        ("smtpURL", "Smtp URL"),
        ("network-1", "Network 1"),
        ("time_zone", "Time zone"),
        ("7", "7"),
        ("", ""),
    ],
)
def test_paths_in_words(path: str, words: str) -> None:
    assert field_words(path) == words


def test_texts_without_a_code_stay() -> None:
    plain = FieldError(field="smtp", message="there is no such sender", operation="POST /apps/smtp")
    assert message_of(plain) == "there is no such sender (POST /apps/smtp)"
    assert problem_text(plain) == reason_text(plain) == "There is no such sender."
    assert named_problem(plain) == "Smtp: There is no such sender."
    labelled = FieldError(field=PLACE, message="Colour is required", code="x", text="is required")
    assert (problem_text(labelled), named_problem(labelled)) == ("Is required.", "Colour is required.")
    labelled = FieldError(field="email", message="Email is required", code="required", text="is required")
    assert (problem_text(labelled), reason_text(labelled)) == ("Enter a value.", "Email is required.")
    unlabelled = FieldError(field="email", message="is required", code="required", text="is required")
    assert (problem_text(unlabelled), reason_text(unlabelled)) == ("Enter a value.", "Email: Enter a value.")
    whole = FieldError(field="body", message="too large", code=WHOLE_BODY)
    assert named_problem(whole) == "Too large."
