"""What models answer, fuzzed: whatever comes, no claim is without a source that was given."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outreach.connections.ai.providers.answers import Unreadable, Unusable, read_message
from outreach.connections.ai.providers.placeholders import placeholder_in
from outreach.connections.ai.providers.secrets import holds_key, without_key
from tests.kit.examples import SEARCHES
from tests.outreach.connections.ai.test_providers import BRIEFS

FACTS = {"company.name": "Green Fields", "contact.name": "Ann Lee", "prompt": "Invite them"}
WORDS = st.sampled_from(["Green Fields", "Ann Lee", "We won 17 prizes.", "Hello", "", "{{x}}", "\u202e", "\x00"])
SOURCES = st.one_of(st.sampled_from([*FACTS, "contact.salary", "", "company", "COMPANY.NAME"]), st.text(max_size=8))
CLAIM = st.fixed_dictionaries({"text": st.one_of(WORDS, st.text(max_size=20)), "source": SOURCES})
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4)
SHAPE = st.fixed_dictionaries(
    {
        "subject": st.one_of(WORDS, ODD),
        "body": st.one_of(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), st.text(max_size=60), ODD),
        "claims": st.one_of(st.lists(CLAIM, max_size=4), ODD),
    },
    optional={"extra": ODD},
)
AROUND = st.sampled_from(["{}", "```json\n{}\n```", "Sure! {}", "{}\n{{", "\ufeff{}", "[{}]"])


@settings(max_examples=1000 if SEARCHES else 150, deadline=None)
@given(shape=SHAPE, around=AROUND, cut=st.integers(0, 400))
def test_no_claim_is_without_a_source_that_was_given(shape: dict[str, Any], around: str, cut: int) -> None:
    said = around.replace("{}", json.dumps(shape))
    said = said[: len(said) - cut] if cut < 12 else said
    try:
        draft = read_message(said, BRIEFS[0], FACTS)
    except (Unreadable, Unusable):
        return
    words = {"text": draft.text, "subject": draft.subject}
    for claim in draft.claims:
        assert claim.source in FACTS
        assert claim.text
        assert claim.text in words[claim.part]
    assert not any(mark in draft.text + draft.subject for mark in ("{{", "}}", "\u202e", "\x00"))
    assert "\n" not in draft.subject


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "\ud800", '{"subject": "\\ud800"}', ""])
def test_what_breaks_parsers_is_unreadable(text: str) -> None:
    with pytest.raises((Unreadable, Unusable)):
        read_message(text, BRIEFS[0], FACTS)


@pytest.mark.parametrize(
    "words",
    [
        *("Hello {name},", "Hello {first_name},", "Hello { First Name }!", "Hello {{x}}", "{% if x %}", "Dear ${name}"),
        *(
            "Dear [Name],",
            "Dear [First Name]",
            "at [Your Company]",
            "[insert date]",
            "Hallo [Vorname]",
            "[nom du client]",
        ),
        *(
            "Hello <first name>",
            "<Name>",
            "<FIRSTNAME>",
            "Hello %NAME%,",
            "Hello %first_name%",
            "*|FNAME|*",
            "Dear <<x>>",
        ),
        *(
            "[Date]",
            "<price>",
            "[Our Company]",
            "ORDER_NUMBER",
            "Dear FIRST_NAME,",
            "Dear [recipientName]",
            "Hello ｛name｝",
            "Dear [[x]]",
        ),
    ],
)
def test_a_placeholder_is_no_finished_word(words: str) -> None:
    with pytest.raises(Unusable, match="placeholder"):
        read_message(json.dumps({"subject": "Hello", "body": words, "claims": []}), BRIEFS[0], FACTS)


@pytest.mark.parametrize(
    "words",
    [
        *(
            "See [link] below",
            "As we wrote [1], [2]",
            "We <3 gardens",
            "See <https://example.org/name>",
            "5 < 7 and 9 > 8",
        ),
        *("Write to <ann.name@example.org>", "50% off, 20% more", "100% natural and 50%off%", "[sic] it says", "{}"),
        *(
            "[a remark of some length that names nothing to fill in at all]",
            "ISO_NORM",
            "[number 1 in Berlin]",
            "f(x) = {1, 2}",
        ),
    ],
)
def test_honest_brackets_are_no_placeholders(words: str) -> None:
    assert placeholder_in(words) is None


def test_brackets_of_a_products_own_name_stay() -> None:
    body = "Have you seen [Your] Garden?"
    said = json.dumps({"subject": "Hello", "body": body, "claims": []})
    assert read_message(said, BRIEFS[0], {"catalogue.1": "[Your] Garden: on a roof"}).text == body
    with pytest.raises(Unusable):
        read_message(said, BRIEFS[0], {"prompt": body, "contact.name": body})


@pytest.mark.parametrize(
    "told",
    [
        *("no such key: {}", "no such key: {upper}", '{{"key": "{json}"}}', "GET /v1?key={url}&x=1", "at {twice}"),
        *("Bearer {}", "ends in {end}", "begins with {begin}****", "basic {base64}", "<b>{html}</b>"),
    ],
)
def test_no_form_of_the_key_is_told(told: str) -> None:
    key = 'sk/ca"nary+93&ab7f=x'
    forms = {
        "upper": key.upper(),
        "json": json.dumps(key)[1:-1].replace("/", "\\/"),
        "url": quote(key, safe=""),
        "twice": quote(quote(key, safe=""), safe=""),
        "begin": key[:9],
        "end": key[-9:],
        "base64": b64encode(key.encode()).decode(),
        "html": escape(key),
    }
    kept = without_key(told.format(key, **forms), key)
    assert not any(part in kept.lower() for part in ("nary", "93&", "93%26", "sk/", "sk%2f", "=x", "c2sv")), kept
    assert without_key("The key k is wrong, Model kind", "") == "The key k is wrong, Model kind"
    assert without_key("Incorrect: sk-proj-****abcd", "another-key") == "Incorrect: …"
    assert (holds_key(f"say {forms['url']}", key), holds_key("say a", "a")) == (True, False)
