"""Named messages: the ResponseMessage rows decide status and text (contract section 7)."""

from __future__ import annotations

import pathlib

import pytest
from django.test import override_settings

from core.api.handler import render
from core.catalogue import CATALOGUE
from core.errors import NamedError
from core.messages import forget, resolve
from core.models import ResponseMessage
from tests.cast import Cast


@pytest.fixture(autouse=True)
def _fresh() -> None:
    forget()


def test_every_name_of_the_catalogue_is_seeded_with_the_status_it_ends_in(db: None) -> None:
    quirks = {"SubscriptionExpired_400": 500, "PlanDoesNotIncludeThisFeature_400": 403}
    assert len(CATALOGUE) == 203
    assert ResponseMessage.objects.count() == 203
    for row in ResponseMessage.objects.all():
        assert row.status == quirks.get(row.name, int(row.name.rpartition("_")[2])), row.name
        assert row.text, row.name


def test_the_catalogue_is_the_contracts() -> None:
    names = pathlib.Path(__file__).parent.joinpath("message-names.txt").read_text().split()
    assert sorted(CATALOGUE) == sorted(names)


def test_an_edited_row_decides(cast: Cast) -> None:
    row = ResponseMessage.objects.get(name="ApiNotFound_400")
    row.status, row.text = 404, "No such key"
    row.save()
    answer = cast.key.get("/api/" + "0" * 24)
    assert (answer.status, answer.body["message"]) == (404, "No such key")


def test_an_unknown_name_is_500_something_went_wrong(db: None) -> None:
    assert render(NamedError("NobodyKnows_400")) == (500, "Something went wrong", "")
    ResponseMessage.objects.filter(name="ApiNotFound_400").delete()
    assert resolve("ApiNotFound_400") == (500, "Something went wrong")


def test_the_body_of_an_error(cast: Cast) -> None:
    answer = cast.key.get("/api/" + "0" * 24)
    assert answer.body == {
        "status": "fail",
        "success": False,
        "message": "Api not found",
        "warning": "id: there is no such key in this company",
    }
    with override_settings(DEBUG=True):
        assert "Traceback" in cast.key.get("/api/" + "0" * 24).body["stack"]
