"""A property of generated records: an own export that is imported again, with any company settings, changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.settings.models import CompanySettings
from crm.models import Contact, ContactTag, Lead, LeadTag
from tests.crm.imports.test_own_export import OPTIONS, TEXTS, TIMES, add_fields, choose, round_trip, same, snapshot
from tests.kit.cast import Cast
from tests.kit.examples import thorough
from tests.kit.factories import TagFactory

MODELS: dict[str, tuple[Any, Any]] = {"contact": (Contact, ContactTag), "lead": (Lead, LeadTag)}
ZONES = ("America/St_Johns", "Europe/London", "Africa/Casablanca", "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia")
COMPANIES = st.tuples(
    st.sampled_from(ZONES),
    st.sampled_from(CompanySettings.DateFormat.values),
    st.sampled_from(CompanySettings.TimeFormat.values),
    st.sampled_from(["EUR", "JPY", "KWD", "CHF"]),
)
letters = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from(list(";,|\"'=+-@ \t#/[]{}"))
words = st.text(letters, min_size=1, max_size=15) | st.sampled_from(TEXTS)
lines = words.map(lambda text: " ".join(text.split())).filter(bool)
paragraphs = st.lists(words, min_size=1, max_size=3).map("\n".join).filter(lambda text: bool(text.strip()))
numbers = st.integers(-(10**15), 10**15) | st.floats(-1e15, 1e15, allow_nan=False).map(lambda value: round(value, 9))
days = st.dates().map(lambda day: day.isoformat())
times = st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
choices = st.sampled_from([option["value"] for option in OPTIONS])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "line": lines,
    "lines": paragraphs,
    "thing": st.dictionaries(lines, lines | numbers | st.booleans(), min_size=1, max_size=3),
    "words": st.lists(lines | numbers | st.booleans(), min_size=1, max_size=4, unique_by=repr),
    "amount": numbers,
    "first_contact": days | times | st.sampled_from(TIMES),
    "heat": choices,
    "heats": st.lists(choices, min_size=1, max_size=4, unique=True),
    "ticks": st.lists(choices, min_size=1, max_size=4, unique=True),
    "tick": st.booleans(),
}
records = st.lists(
    st.fixed_dictionaries({"name": lines}, optional=VALUES), min_size=1, max_size=4
)  # with few of them, columns tell little


@pytest.mark.hypothesis
@pytest.mark.parametrize("format", ["csv", "xlsx"])
@pytest.mark.parametrize("resource", ["contact", "lead"])
@settings(
    max_examples=thorough(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(company=COMPANIES, values=records, tag=lines)
def test_generated_records_stay_as_they_are(
    cast: Cast, resource: str, format: str, company: tuple[str, str, str, str], values: list[dict[str, Any]], tag: str
) -> None:
    with transaction.atomic():
        choose(cast, *company)
        with cast.scope():
            add_fields(resource)
            tags = [TagFactory(name=tag[:200]).pk, TagFactory(name="semi;colon").pk]
        people = [
            {**record, "email": f"p{place}@example.org", "countryCode": "+49", "number": f"151{place:08}"}
            for place, record in enumerate(values)
        ]
        made = cast.key.post(f"/{resource}/bulk", {"formData": people, "tags": tags})
        assert made.data["failed"] == []
        model, links = MODELS[resource]
        before = snapshot(cast, model, links), snapshot(cast, Contact, ContactTag)
        job = round_trip(cast, resource, format)
        assert (job["status"], job["rowErrors"]) == ("completed", [])
        assert (job["updated"], job["failed"]) == (len(values), 0)
        same(before[0], snapshot(cast, model, links))
        same(before[1], snapshot(cast, Contact, ContactTag))
        transaction.set_rollback(True)
