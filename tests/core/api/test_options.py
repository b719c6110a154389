"""OPTIONS answers at every address, without asking for a serializer or a record."""

from __future__ import annotations

import pytest

from tests.guards.routes import operations
from tests.kit.cast import Caller, Cast

MISSING = "f" * 24


@pytest.mark.undescribed("OPTIONS is no operation of the schema")
def test_options_answer_at_every_address(cast: Cast) -> None:
    paths = {
        operation.address(*[MISSING] * len(operation.parameters))
        for operation in operations("api/")
        if operation.path.startswith("api/key/")
    }
    assert len(paths) > 100
    for path in sorted(paths):
        answer = Caller("", cast.key.headers).call("OPTIONS", path)
        assert answer.status == 200, path
        assert "actions" not in answer.body, path
