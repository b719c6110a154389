"""Names are sorted by a stored key: whatever their case and accents, contacts without a name last."""

from __future__ import annotations

import pytest

from crm.models import Contact
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

pytestmark = pytest.mark.django_db
NAMES = ["zoe", "Ängström", "", "angstrom b", "Łódź", "Straße", "strasse a", "Ann", "ÉMILE", "emil", "Жук", ""]
SORTED = ["Ängström", "angstrom b", "Ann", "emil", "ÉMILE", "Łódź", "Straße", "strasse a", "zoe", "Жук"]


def by_name(cast: Cast, order: str, path: str = "/contact", name: str = "name") -> list[dict[str, object]]:
    """All pages by cursor."""
    query = {"cursorPagination": "true", "n": "3", "sortBy": name, "sortOrder": order}
    answer = cast.key.get(path, **query)
    found = answer.data
    while answer.body["nextCursor"]:
        answer = cast.key.get(path, **query, cursor=answer.body["nextCursor"])
        found += answer.data
    return found


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_contacts_sort_by_the_key_and_those_without_a_name_are_last(cast: Cast, order: str) -> None:
    with cast.scope():
        for name in NAMES:
            ContactFactory(name=name)
    expected = SORTED if order == "asc" else SORTED[::-1]
    assert [row["name"] for row in by_name(cast, order)] == [*expected, "", ""]
    page = cast.key.get("/contact", p="1", n="100", sortBy="name", sortOrder=order)
    assert [row["name"] for row in page.data] == [*expected, "", ""]


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_leads_sort_by_their_contacts_key(cast: Cast, order: str) -> None:
    for n, name in enumerate(("zoe", "Ängström", "Ann"), start=1):
        make(cast, n, formData={"name": name})
    found = [row["contact"]["name"] for row in by_name(cast, order, "/lead", "contact.name")]  # type: ignore[index]
    assert found == (["Ängström", "Ann", "zoe"] if order == "asc" else ["zoe", "Ann", "Ängström"])


def test_the_default_sort_tells_contacts_of_a_moment_apart_by_their_names(cast: Cast) -> None:
    with cast.scope():
        made = [ContactFactory(name=name) for name in ("b", "A", "c")]
        Contact.objects.update(created_at=made[0].created_at)
    assert [row["name"] for row in cast.key.get("/contact", p="1", n="9").data] == ["c", "b", "A"]


def test_the_key_follows_the_name_whoever_writes(cast: Cast) -> None:
    with cast.scope():
        contact = ContactFactory(name="Édith")
        assert Contact.objects.values_list("sort_name", flat=True).get() == "edith"
        Contact.objects.update(name="Żaneta", sort_name="wrong")
        assert Contact.objects.values_list("sort_name", flat=True).get() == "zaneta"
        Contact.objects.update(name="\ufdfa" * 300)
        assert len(Contact.objects.values_list("sort_name", flat=True).get(pk=contact.pk) or "") == 300
        Contact.objects.update(name="  ")
        assert Contact.objects.values_list("sort_name", flat=True).get() is None
