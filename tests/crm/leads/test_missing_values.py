"""One error for each missing value of a new lead or contact."""

from __future__ import annotations

import pytest

from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/lead", "/contact"])
def test_each_missing_value_has_an_error_of_its_own(cast: Cast, path: str) -> None:
    for caller in (cast.key, cast.session):
        refused = caller.post(path, {"formData": {"name": "Ann", "email": "ann@example.com"}})
        errors = [(error["field"], error["message"]) for error in refused.body["errors"]]
        assert errors == [("countryCode", "is required"), ("number", "is required")], refused.body
        assert refused.body["message"] == "Enter the missing details of the contact."
