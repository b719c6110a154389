"""JSON of the API: texts in the reader's language, and subclasses of what JSON knows."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum

import orjson
import pytest
from django.db.models import TextChoices
from django.utils.safestring import mark_safe
from rest_framework.utils.serializer_helpers import ReturnList

from core.api.json import Renderer
from core.text.json import dumps
from core.text.translation import gettext_lazy


class Color(TextChoices):
    RED = "red"


class Size(IntEnum):
    SMALL = 1


@pytest.fixture(autouse=True)
def _german(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.text.translation.gettext", lambda text: {"Leads": "Interessenten"}.get(text, text))


def rendered(value: object) -> object:
    return orjson.loads(Renderer().render(value))


def test_answers_have_texts_in_the_readers_language() -> None:
    title = gettext_lazy("Leads")
    assert rendered({"title": title, "columns": [{"label": title}, "Leads"]}) == {
        "title": "Interessenten",
        "columns": [{"label": "Interessenten"}, "Leads"],
    }


def test_what_is_kept_stays_in_english() -> None:
    assert orjson.loads(dumps({"title": gettext_lazy("Leads")})) == {"title": "Leads"}


def test_subclasses_are_written_as_what_they_are() -> None:
    written = rendered(
        {
            "enum": Color.RED,
            "number": Size.SMALL,
            "safe": mark_safe("<b>"),
            "ordered": OrderedDict(b=1, a=2),
            "counts": defaultdict(int, a=1),
            "list": ReturnList([gettext_lazy("Leads")], serializer=None),
            "at": datetime(2027, 1, 31, 9, tzinfo=UTC),
            "amount": Decimal("1.50"),
            "flag": True,
            7: None,
        }
    )
    assert written == {
        "enum": "red",
        "number": 1,
        "safe": "<b>",
        "ordered": {"b": 1, "a": 2},
        "counts": {"a": 1},
        "list": ["Interessenten"],
        "at": "2027-01-31T09:00:00.000Z",
        "amount": 1.5,
        "flag": True,
        "7": None,
    }
