"""Letters without case and accents, in Python and in the database."""

from __future__ import annotations

import unicodedata

import pytest
from django.db import connection
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.text.folding import fold, sort_text
from tests.kit.examples import thorough

PAIRS = [
    ("José Ångström", "JOSE ANGSTROM"),
    ("Łukasz Żółć", "LUKASZ ZOLC"),
    ("Straße", "STRASSE"),
    ("STRAẞE", "STRASSE"),
    ("İstanbul Işık", "ISTANBUL ISIK"),
    ("Øre Đặng Ærø Œuvre Þór", "ORE DANG AERO OEUVRE THOR"),
    ("O’Brien O‘Brien OʼBrien O´Brien O`Brien O'Brien", " ".join(["O'BRIEN"] * 6)),
    ("“Ann” – Bob", '"ANN" - BOB'),
    ("ＡＢＣ　１２３ ﬁ", "ABC 123 FI"),
    ("Ёлка Йод Київ", "ЕЛКА ЙОД КИІВ"),
    ("Αθήνα", "ΑΘΗΝΑ"),
    ("ς", "Σ"),
    ("がか", "がか"),
    ("한국 हिन्दी ไทย עִברִית", "한국 हिन्दी ไทย עִברִית"),
    ("co\u00adop\u200b", "COOP"),
]
NEWER = {"\u019b", "\u0264", "\U00010791"}
"""Letters whose capitals are newer than the Unicode of Python 3.11."""
LETTERS = (
    "aZ09 `´’ʼ–“éÉßẞłŁøØđæŒþıİijйЙёЁиИії"
    "άσςΐᾳạ̈́ǆﬁ½№が゛か한각हि中😀\u0300\u0301\u0306\u0308\u0323\u0345\u3099\u1161\u00ad\u200b\x01\n"
)
TEXTS = st.text(alphabet=st.sampled_from(LETTERS), max_size=12) | st.text(
    alphabet=st.characters(exclude_characters={"\0", *NEWER}, exclude_categories=["Cs", "Cn", "Co"]), max_size=8
)


@pytest.mark.parametrize(("text", "folded"), PAIRS)
def test_letters_lose_case_and_accents(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold(unicodedata.normalize("NFD", text)) == folded


@pytest.mark.parametrize(
    ("one", "other"), [("が", "か"), ("й", "и"), ("각", "가"), ("ก็", "ก"), ("की", "क"), ("ä", "ae")]
)
def test_letters_of_their_own_stay_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)
    assert fold(unicodedata.normalize("NFD", one)) == fold(one)


@pytest.mark.django_db
@settings(
    max_examples=thorough(200),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
@example(texts=[*(text for pair in PAIRS for text in pair), "", "a" * 500, "😀ß" * 250])
def test_the_database_folds_and_sorts_alike(texts: list[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT search_fold(text), text_sort_key(text)"
            " FROM unnest(%s::text[]) WITH ORDINALITY AS given (text, place) ORDER BY place",
            [texts],
        )
        found = cursor.fetchall()
    assert found == [(fold(text), sort_text(text)) for text in texts]
    assert [fold(fold(text)) for text in texts] == [fold(text) for text in texts], "a folded text stays as it is"


@pytest.mark.django_db
def test_the_database_folds_every_character_alike() -> None:
    characters = [chr(code) for code in range(1, 0x110000) if unicodedata.category(chr(code)) not in ("Cs", "Cn", "Co")]
    with connection.cursor() as cursor:
        cursor.execute("SELECT one, search_fold(one) FROM unnest(%s::text[]) AS given (one)", [characters])
        found = dict(cursor.fetchall())
    assert {one for one, folded in found.items() if folded != fold(one)} <= NEWER
