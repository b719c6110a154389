"""Lists that ViewSets declare."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from core.api.listing import Listing, ListRequest, Within
from crm.models import Tag
from tests.core.api.helpers import FIELDS, ID, BeanOut, BeanViewSet, build, named
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory


def test_a_list_answers_what_it_declares(client: Client, cast: Cast) -> None:
    with cast.scope():
        for name in ("Ann", "Anton", "Bea"):
            TagFactory(name=name)
    paged = client.get("/try/bean", {"p": 1, "n": 2, "sortBy": "name", "sortOrder": "asc"}).json()
    assert ([row["name"] for row in paged["data"]], paged["totalCount"]) == (["Ann", "Anton"], 3)
    some = client.get("/try/bean/by-begin", {"begin": "An", "p": 1, "n": 9})
    assert sorted(row["name"] for row in some.json()["data"]) == ["Ann", "Anton"]
    assert client.get("/try/bean", {"begin": "An"}).status_code == 400
    operations = {one.action: one for one in build().operations() if one.listing}
    assert operations["list"].listing is BeanViewSet.listing
    declared = operations["by_begin"].endpoint
    assert (declared.summary, declared.many, declared.output) == ("List beans by their begin", True, BeanOut)


def test_a_list_needs_no_request(cast: Cast) -> None:
    with cast.scope():
        TagFactory(name="Ann")
        TagFactory(name="Bea")
        assert BeanViewSet.listing.rows(ListRequest()).count() == 2
        assert named(ListRequest({"begin": "B"})).get().name == "Bea"
    with pytest.raises(ImproperlyConfigured, match="depends on its actor"):
        _ = ListRequest().actor


def test_a_list_within_a_record(cast: Cast) -> None:
    plain = Listing("L", Tag.objects.all, FIELDS, BeanOut, within=Within(BeanOut, "beans", lambda: {"_id": ID}))
    asking = Listing("L", Tag.objects.all, FIELDS, BeanOut, within=Within(BeanOut, "beans", lambda asked: asked.path))
    assert plain.containing_record(ListRequest()) == ({"_id": ID}, "beans")
    assert asking.containing_record(ListRequest(path={"id": ID})) == ({"id": ID}, "beans")
