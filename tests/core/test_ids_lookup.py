"""The lookup `in` of ids, which sends many of them as one array."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import FEW, as_array, new_id
from crm.contacts.models import Contact
from tests.kit.cast import make_cast
from tests.workflows.helpers import contact


@pytest.mark.django_db
def test_many_ids_and_texts_that_are_none_find_the_same_rows() -> None:
    cast = make_cast()
    id = contact(cast)
    hostile = ["a,b", '"}', "\\", "{", id]
    others = [new_id() for _ in range(2 * FEW)]
    with (
        cast.scope(),
        CaptureQueriesContext(
            connection,
        ) as made,
    ):
        found = [
            list(Contact.objects.filter(pk__in=wanted).values_list("pk", flat=True))
            for wanted in ([id, *others], {id, *others}, [id], hostile, [*others, *hostile])
        ]
        assert list(Contact.objects.filter(created_by__in=others)) == []
    assert found == [[id]] * 5
    assert ["= ANY(" in one["sql"] for one in made.captured_queries[-6:]] == [True, True, False, False, False, True]
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::text[]", [as_array(hostile)])
        assert cursor.fetchone() == (hostile,)
