"""Merges that happen at the same time: of overlapping records one wins, and nobody waits for ever."""

from __future__ import annotations

import pytest

from crm.merging.services import merge_records
from crm.models import Contact, Lead, Merge
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_of_overlapping_merges_one_wins(cast: Cast, panel: str) -> None:
    factory = ContactFactory if panel == "contact" else LeadFactory
    with cast.scope():
        one, two, three = (factory().pk for _ in range(3))

    sides = ([one, two], [two, three], [three, one])

    def attempt(n: int) -> str:
        return merge_records(panel=panel, actor_id=cast.owner.pk, ids=sides[n], winner=sides[n][0], choices={}).id

    results = at_once(3, cast.company.pk, attempt)
    # Whoever comes first leaves one of the others without its record, and the third finds both of its own.
    assert results.count(f"{panel.capitalize()}NotFound_400") == 1, results
    with cast.scope():
        model = Contact if panel == "contact" else Lead
        records = model.objects.filter(pk__in=[one, two, three])
        assert records.filter(is_deleted=False).count() == 1
        assert set(Merge.objects.values_list("pk", flat=True)) == {result for result in results if len(result) == 24}
        for record in records.filter(is_deleted=True):
            assert record.merged_into_id in {one, two, three} - {record.pk}
