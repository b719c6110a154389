"""Numbers of members: counted when a dynamic segment changes, and by the periodic task."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from core.tenancy import unscoped
from crm.models import CustomField, Segment
from crm.segments.counts import OLD, count_due
from tests.crm.contacts.helpers import form
from tests.crm.segments.helpers import PATH, new, where
from tests.kit.cast import Cast


def counted() -> bool:
    """Run the periodic task once."""
    with unscoped(reason="test: as the periodic task runs"):
        return count_due()


def test_dynamic_segments_have_the_number_of_the_last_count(cast: Cast, people: dict[str, str]) -> None:
    id = new(cast, "Bonn", advancedFilters=where("city", "equals", "Bonn"))
    fixed = new(cast, "By hand", kind="static", ids=[people["Ann"]])
    rows = {row["name"]: row for row in cast.key.get(PATH, p="1", n="10").data}
    assert (rows["Bonn"]["lastCount"], rows["Bonn"]["count"]) == (2, None)
    assert (rows["By hand"]["lastCount"], rows["By hand"]["countedAt"], rows["By hand"]["count"]) == (None, None, 1)
    assert cast.key.put(f"{PATH}/{id}", {"advancedFilters": where("city", "equals", "Ulm")}).data["lastCount"] == 0
    cast.key.put(f"{PATH}/{id}", {"advancedFilters": where("city", "equals", "Bonn")})

    make_one = {"formData": form(9, name="Eve", city="Bonn")}
    assert cast.key.post("/contact", make_one).status == 200
    assert not counted()  # counted a moment ago
    with cast.scope():
        old = timezone.now() - OLD
        Segment.objects.filter(pk__in=[id, fixed]).update(counted_at=old)
    assert counted()
    assert not counted()  # a static segment is counted with each list
    shown = cast.key.get(f"{PATH}/{id}").data
    assert (shown["lastCount"], datetime.fromisoformat(shown["countedAt"]) > old) == (3, True)


def test_what_its_page_counts_is_what_the_list_shows(cast: Cast, people: dict[str, str]) -> None:
    id = new(cast, "Bonn", advancedFilters=where("city", "equals", "Bonn"))
    for number, query in enumerate(({}, {"p": "1", "n": "1"}), start=9):
        cast.key.post("/contact", {"formData": form(number, name=f"Eve {number}", city="Bonn")})
        part = cast.session.get(f"{PATH}/execute", id=id, searchValue="Eve", **query).data
        before = cast.key.get(f"{PATH}/{id}").data["lastCount"]
        assert (part["count"], before) == (number - 8, number - 7)
        whole = cast.session.get(f"{PATH}/execute", id=id, **query).data
        assert cast.key.get(f"{PATH}/{id}").data["lastCount"] == whole["count"] == number - 6


def test_a_broken_segment_is_counted_once(cast: Cast, people: dict[str, str]) -> None:
    id = new(cast, "Bonn", advancedFilters=where("city", "equals", "Bonn"))
    with cast.scope():
        CustomField.objects.filter(unique_field_id="city").delete()
        Segment.objects.filter(pk=id).update(counted_at=None)
    assert counted()
    assert not counted()
    shown = cast.key.get(f"{PATH}/{id}").data
    assert (shown["lastCount"], shown["problem"] is not None) == (None, True)
