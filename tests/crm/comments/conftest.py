from __future__ import annotations

import pytest

from tests.crm.tasks.helpers import new as new_task
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory


@pytest.fixture
def records(cast: Cast) -> dict[str, str]:
    """Return kind -> the id of a record."""
    with cast.scope():
        made = {
            "contact": ContactFactory(name="", email="bob@example.org").pk,
            "lead": LeadFactory(contact__name="Ann Lee").pk,
            "organization": OrganizationFactory(name="Acme").pk,
        }
    return {**made, "task": new_task(cast, title="Call")["_id"]}
