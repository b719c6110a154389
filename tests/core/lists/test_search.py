"""Text search by trigrams: it finds exactly what a comparison with every record finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Q
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.lists import tree
from core.lists.prefilter import Prefilter, prefilter_scope
from core.lists.search import AnyCondition, search_in, words_of
from core.tenancy import company_scope
from core.text.addresses import phone_variants
from core.text.folding import fold
from crm.contacts.filters import CONTACT_FIELDS
from crm.leads.filters import LEAD_FIELDS
from crm.models import Contact, CustomField, CustomFieldValue, Lead
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import thorough

pytestmark = pytest.mark.django_db

PIECES = "aAbBzZ09 @.-+%_\\'\"ßẞéÉiIıİſµμΜσςΣ中文字😀\x01\x7f\n"
TEXTS = st.text(alphabet=st.sampled_from(PIECES), max_size=12) | st.text(
    alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6
)


@pytest.fixture(scope="module")
def company(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_cast()
        transaction.set_rollback(True)


@pytest.fixture
def city(company: Cast) -> Iterator[CustomField]:
    with company_scope(company.company.pk):
        yield CustomField.objects.create(unique_field_id="city", name="City", field_type="text", value_type="string")


def found_by(operator: str, field: str, value: str) -> tuple[set[str], Q]:
    where = tree.compile(
        tree.parse({"conditions": [{"field": field, "operator": operator, "value": value}]}), CONTACT_FIELDS
    )
    return set(Contact.objects.filter(where).values_list("pk", flat=True)), where


@settings(
    max_examples=thorough(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    records=st.lists(
        st.fixed_dictionaries({"name": TEXTS, "email": st.none() | TEXTS, "city": TEXTS}), min_size=1, max_size=4
    ),
    asked=st.lists(TEXTS.filter(bool), min_size=1, max_size=4),
    data=st.data(),
)
@example(records=[{"name": "a\x01b", "email": None, "city": "ab\x01"}], asked=["a\x01b", "b\x01", "\x01b"], data=None)
@example(records=[{"name": "ǆ ɐ", "email": "ⱥ", "city": "ꞻ"}], asked=["ɐ", "Ɐ", "Ⱥ", "ǅ"], data=None)
def test_grams_change_nothing_but_the_time(
    city: CustomField, records: list[dict[str, Any]], asked: list[str], data: Any
) -> None:
    """Against Python's evaluation, for texts at random and for pieces of the records' own."""
    Contact.objects.all().delete()
    rows = {}
    for values in records:
        contact = Contact.objects.create(name=values["name"], email=values["email"])
        CustomFieldValue.objects.create(contact=contact, field=city, text=values["city"])
        rows[contact.pk] = values
    if data is not None:
        for text in [text for values in records for text in values.values() if text]:
            start = data.draw(st.integers(0, len(text) - 1))
            asked = [*asked, text[start : start + data.draw(st.integers(1, 4))].swapcase() or text]
    for text in asked:
        for operator in ("contains", "notContains", "startsWith", "endsWith"):
            for field in ("name", "email", "city"):
                node = tree.Condition(field, operator, text)
                expected = {pk for pk, values in rows.items() if tree.evaluate(node, values, CONTACT_FIELDS)}
                assert found_by(operator, field, text)[0] == expected, (operator, field, text)
        anywhere = {
            pk
            for pk, values in rows.items()
            if all(any(fold(word) in fold(value or "") for value in values.values()) for word in words_of(text))
        }
        several = search_in([CONTACT_FIELDS.searchable(name, "searchBy") for name in ("name", "email", "city")], text)
        assert set(Contact.objects.filter(several).values_list("pk", flat=True)) == anywhere


def test_words_are_looked_for_each_by_itself() -> None:
    assert words_of("Lea lead1@ Lea") == ["Lea", "lead1@"]
    assert words_of(" a \u00a0lea ") == ["a", "lea"]
    for whole in ("lea", "n 7", "", "  ", "ab cd", " ".join(f"word{n}" for n in range(11))):
        assert words_of(whole) == [whole]


def test_what_has_grams_and_what_has_none(company: Cast) -> None:
    with company_scope(company.company.pk):
        assert [Prefilter()(text) is None for text in ("a", "é", "éa", "ab\x01", "中", "éab", "abc" * 100)] == [
            True
        ] * 4 + [False] * 3
        with prefilter_scope() as state:
            assert Prefilter()("abc") is not None
            assert state.used
        with prefilter_scope(wanted=False) as state:
            assert Prefilter()("abc") is None
            assert state.used
    assert Prefilter()("abc") is None, "outside of a company there is no seed"
    assert Prefilter(seed="f" * 24)("abc") is not None


def test_the_grams_of_a_text() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT search_grams('x', 'Anna') @> search_grams('x', 'nNA'), search_grams('x', 'Anna') &&"
            " search_grams('x', 'ana'),"
            " search_grams('y', 'Anna') && search_grams('x', 'anna'), cardinality(search_grams('x', 'Anan')),"
            " search_grams('x', 'nn'), search_grams('x', ''),"
            " search_grams('x', 'abc' || chr(1) || 'def') <@ (search_grams('x', 'abc') || search_grams('x', 'def'))"
        )
        assert cursor.fetchone() == (True, False, False, 2, [], [], True)


def test_fields_of_two_tables_are_looked_up_apart(city: CustomField) -> None:
    by_name = Contact.objects.create(name="Ann Berlin")
    by_city = Contact.objects.create(name="Bob")
    Contact.objects.create(name="Cid")
    CustomFieldValue.objects.create(contact=by_city, field=city, text="East Berlin")
    fields = [CONTACT_FIELDS.searchable(name, "searchBy") for name in ("name", "city", "email")]
    where = search_in(fields, "berlin")
    assert [type(child) for child in where.children] == [AnyCondition]
    assert set(Contact.objects.filter(where)) == {by_name, by_city}
    assert set(Contact.objects.filter(~where).values_list("name", flat=True)) == {"Cid"}
    assert not any(isinstance(child, AnyCondition) for child in search_in(fields, "b").children), (
        "without trigrams one comparison is enough"
    )


def test_a_lead_is_found_by_its_contact_and_its_notes(company: Cast) -> None:
    with company_scope(company.company.pk):
        contact = Contact.objects.create(name="Ann Eriksen", contact_number="+49151123456")
        noted = Lead.objects.create(contact=Contact.objects.create(name="Bob"), status="new", notes="knows Eriksen")
        own = Lead.objects.create(contact=contact, status="new")
        fields = [LEAD_FIELDS.searchable(name, "searchBy") for name in ("contact.name", "contact.contactNumber")]
        assert list(Lead.objects.filter(search_in(fields, "ERIKSEN"))) == [own]
        assert list(Lead.objects.filter(search_in(fields, "0151 123"))) == [own]
        both = search_in([*fields, LEAD_FIELDS.searchable("notes", "searchBy")], "eriksen")
        assert set(Lead.objects.filter(both)) == {own, noted}


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("0151 123", ("0151 123", "151123")),
        ("+49 (0)151/12-3", ("+49 (0)151/12-3", "+49151123")),
        ("0049 151", ("0049 151", "+49151")),
        ("151123", ("151123", "151123")),
        ("15", ("15",)),
        ("room 151", ("room 151",)),
        ("- -", ("- -",)),
    ],
)
def test_phone_numbers_as_people_write_them(text: str, spellings: tuple[str, ...]) -> None:
    assert phone_variants(text) == spellings


@pytest.mark.parametrize("text", ["\u200b", "\u00ad\u2060", "\u0301\ufeff"])
def test_a_search_for_nothing_that_is_seen_is_refused(cast: Cast, text: str) -> None:
    problem = "needs letters, digits or signs; it has accents or characters without width alone"
    answer = cast.key.get("/contact", searchValue=text)
    assert (answer.status, answer.body["warning"]) == (400, f"searchValue: {problem}")
    answer = cast.key.get("/search", q=text)
    assert (answer.status, answer.body["warning"]) == (400, f"q: {problem}")
