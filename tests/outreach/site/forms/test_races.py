"""The same page sent at once by several requests counts once."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Lead
from outreach.models import Form, FormLead
from outreach.site.forms.submissions import store_submission
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once
from tests.outreach.helpers import work

pytestmark = pytest.mark.django_db(transaction=True)
FIELDS = [{"key": "email", "label": "Email"}, {"key": "phone", "label": "Phone", "type": "phone"}]


def test_a_page_that_is_sent_at_once_counts_once() -> None:
    cast: Cast = make_cast()
    made = cast.key.post(
        "/form", {"name": "Fair", "fields": FIELDS, "mapping": {"email": "email", "phone": "number"}}
    ).data
    with cast.scope():
        form = Form.objects.get(pk=made["_id"])

    def send(number: int) -> Any:
        return store_submission(form, "f" * 24, {"email": "ann@example.org", "phone": "+4915112345678"}, {})

    assert sorted(at_once(4, cast.company.pk, send)) == [False, False, False, True]
    at_once(3, None, lambda _: work("form-leads"))
    with cast.scope():
        assert (FormLead.objects.get().state, Lead.objects.count()) == ("imported", 1)
