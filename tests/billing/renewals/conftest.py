from __future__ import annotations

import pytest

from billing.payments import processor
from tests.billing.renewals.helpers import FakeGateway


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> FakeGateway:
    """A gateway without network behind each account."""
    made = FakeGateway()
    monkeypatch.setattr(processor, "gateway_client", made)
    return made
