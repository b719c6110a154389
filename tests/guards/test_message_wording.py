"""Default texts of messages are sentences for people; those that the contract shows are its own."""

from __future__ import annotations

import re

import pytest
from django.apps import apps

from core.messages.defaults import DEFAULTS
from core.messages.services import UNKNOWN
from tests.guards.test_visible_words import FORMER

OF_THE_CONTRACT = {
    "SubscriptionExpired_400": "Cannot read properties of null (reading planDetails)",
    "ValidationError_400": "Validation error",
}
"""Texts that the contract shows (sections 5 and 7), the second one as the beginning of each text of its kind."""
MAX_WORDS = 15
CODE = re.compile(
    r"[a-z][A-Z]"  # camelCase
    r"|_|  "
    r"|\b(?:ids?|wl|smtp|ocr|chatapp|payload|null|panel|refer program|timezone)\b"
    r"|\b(?:ai|mailvendor|gateway|social)-[a-h]\b"
    r"|\b(\w+) \1\b"  # a doubled word
    r"|is not available in your plan"
)
LETTERS = re.compile(r"\b(?:Wl|Ai|Api|Smtp|Ocr)\b")
SENTENCE = re.compile(r"[A-Z].*\.", re.DOTALL)


def problems(text: str) -> list[str]:
    """Return what keeps a text from being a sentence for people."""
    models = {model.__name__ for model in apps.get_models() if re.search(r"[a-z][A-Z]", model.__name__)}
    found = [
        "is no sentence" if not SENTENCE.fullmatch(text) else "",
        "is too long" if len(text.split()) > MAX_WORDS else "",
        "has words of code" if CODE.search(text.lower()) or re.search(r"[a-z][A-Z]", text) else "",
        "has an abbreviation in lower case" if LETTERS.search(text) else "",
        "has a former word" if FORMER.search(text) else "",
        "names a model" if models & set(re.findall(r"\w+", text)) else "",
    ]
    return [problem for problem in found if problem]


def test_default_texts_are_sentences_for_people() -> None:
    assert len(DEFAULTS) > 450
    texts = {name: text for name, (_, text) in DEFAULTS.items() if name not in OF_THE_CONTRACT}
    assert {name: (text, problems(text)) for name, text in texts.items() if problems(text)} == {}


def test_texts_of_the_contract_are_its_own() -> None:
    assert {name: DEFAULTS[name][1] for name in OF_THE_CONTRACT} == OF_THE_CONTRACT
    assert UNKNOWN == (500, "Something went wrong")


@pytest.mark.parametrize(
    "text",
    [
        "Contact not found",
        "contact not found.",
        "Ai-a is not available in your plan.",
        "Enter the durationMinutes.",
        "Enter the row_from.",
        "Form id is required.",
        "Choose  a file.",
        "Choose the the file.",
        "Wl user not found.",
        "SendJob not found.",
        "Api not found.",
        "SMTP not found.",
        "Invite answered.",
        " ".join(["Word"] * 8 + ["is"] + ["here"] * 8) + ".",
    ],
)
def test_the_guard_finds_words_of_code(text: str) -> None:
    assert problems(text)
