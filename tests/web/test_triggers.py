"""The search over the triggers of workflows."""

from __future__ import annotations

import pytest

from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter
from tests.web.test_workflows import made
from workflows.definitions.pages.triggers import KEYWORDS, trigger_options
from workflows.graphs.events import OTHERS, TRIGGER_EVENTS, label_of

LABELS = {kind: label_of(kind) for kind in (*OTHERS, *sorted(TRIGGER_EVENTS))}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("new contact", "contact.created"),
        ("signup", "form.submitted"),
        ("reply", "mail.replied"),
        ("paid", "payment.paid"),
        ("unsubscribe", "contact.unsubscribed"),
        ("birthday", "schedule"),
    ],
)
def test_usual_names_find_a_trigger(words: str, kind: str) -> None:
    matching = [
        option.value
        for option in trigger_options(LABELS)
        if all(word in f"{option.label} {option.keywords}".lower() for word in words.split())
    ]
    assert kind in matching
    assert len(matching) < len(LABELS) / 2


def test_keywords_are_those_of_triggers() -> None:
    assert KEYWORDS.keys() <= LABELS.keys()


def test_both_forms_have_the_search_and_the_whole_list(cast: Cast) -> None:
    client = enter(cast.owner)
    id, place = made(cast)
    for address in (at(cast.owner, "workflows/new"), f"{place}/step?node=trigger"):
        page = html_of(client.get(address))
        assert 'data-sifts="f-triggerEventType"' in page, address
        assert 'data-keywords="new contact added person subscriber customer"' in page
        assert "payment.disputed" in page
