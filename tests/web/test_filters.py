"""The filter menu: fields with known values, several values at once."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from accounts.models import Member
from core.web.filters import as_filter, value_text, values_of
from crm.models import ContactCategory, ContactTag, Tag
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of


@pytest.fixture
def owner(cast: Cast) -> Member:
    return cast.owner


@pytest.fixture
def tags(cast: Cast) -> dict[str, str]:
    """Three tags; Ann has the first and the second, Ben the second, Cleo the third."""
    with cast.scope():
        made = {name: Tag.objects.create(name=name) for name in ("Fair", "VIP, old", "Press")}
        for name, held in (("Ann", ("Fair", "VIP, old")), ("Ben", ("VIP, old",)), ("Cleo", ("Press",))):
            contact = ContactFactory(name=name, email=f"{name.lower()}@example.org")
            for tag in held:
                ContactTag.objects.create(contact=contact, tag=made[tag])
        return {name: tag.pk for name, tag in made.items()}


def names(answer: Any) -> set[str]:
    text = text_of(answer)
    return {name for name in ("Ann", "Ben", "Cleo") if name in text}


@pytest.mark.parametrize(
    ("operator", "chosen", "expected", "chip"),
    [
        ("in", ("Fair", "Press"), {"Ann", "Cleo"}, "is any of"),
        ("notIn", ("Fair", "Press"), {"Ben"}, "is none of"),
        ("each", ("Fair", "VIP, old"), {"Ann"}, "is"),
        ("in", ("VIP, old",), {"Ann", "Ben"}, "is"),
        ("in", (), {"Ann", "Ben", "Cleo"}, ""),
    ],
)
def test_several_tags_are_chosen_at_once(
    owner: Member, tags: dict[str, str], operator: str, chosen: tuple[str, ...], expected: set[str], chip: str
) -> None:
    query = [("field", "tags"), ("operator", operator), *(("value", tags[name]) for name in chosen)]
    shown = enter(owner).get(f"{at(owner, 'contacts')}?{urlencode(query)}")
    assert names(shown) == expected
    chips = html_of(shown).count('<span class="chip">')
    assert chips == (0 if not chosen else 2 if operator == "each" else 1)
    assert chip in text_of(shown)


def test_a_filter_of_several_values_stays_in_the_links_of_the_list(owner: Member, tags: dict[str, str]) -> None:
    browser = enter(owner)
    text = f"tags:in:{value_text([tags['Fair'], tags['VIP, old']])}"
    shown = browser.get(f"{at(owner, 'contacts')}?{urlencode({'f': text, 'sort': 'name'})}")
    assert names(shown) == {"Ann", "Ben"}
    assert urlencode({"f": text}) in html_of(shown)
    assert "Fair, VIP, old" in text_of(shown)


def test_a_category_is_chosen_from_a_list(owner: Member, cast: Cast) -> None:
    with cast.scope():
        partner = ContactCategory.objects.create(name="Partner")
        ContactFactory(name="Ann", category=partner)
        ContactFactory(name="Ben")
    browser, place = enter(owner), at(owner, "contacts")
    assert f'value="{partner.pk}">Partner' in html_of(browser.get(place))
    query = {"field": "category", "operator": "in", "value": partner.pk}
    assert names(browser.get(f"{place}?{urlencode(query)}")) == {"Ann"}
    assert names(browser.get(f"{place}?f=category:isEmpty:")) == {"Ben"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one", ["one"]),
        ("a, b", ["a, b"]),
        ('["a","b, c"]', ["a", "b, c"]),
        ('["a', ['["a']),
        ("[1]", ["[1]"]),
        ("", [""]),
    ],
)
def test_values_are_read_as_they_are_written(text: str, values: list[str]) -> None:
    assert values_of(text) == values
    assert values_of(value_text(values)) == values


def test_conditions_of_several_values_can_be_written() -> None:
    node = {"field": "tags", "operator": "in", "value": ["a", "b"]}
    assert as_filter(node) == 'tags:in:["a", "b"]'
    assert as_filter({**node, "value": []}) is None
    assert as_filter({**node, "value": [{"x": 1}, "b"]}) is None
