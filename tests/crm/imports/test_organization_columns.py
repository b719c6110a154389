"""Columns of companies in files of contacts and leads are proposed as the organization."""

from __future__ import annotations

import pytest

from crm.custom_fields.services import create_field
from tests.crm.imports import helpers
from tests.crm.imports.helpers import csv_of
from tests.kit.cast import Cast


@pytest.mark.parametrize("kind", ["contact", "lead"])
@pytest.mark.parametrize("header", ["Company", "Firma", "Employer", "Account Name", "Société", "Organisation"])
def test_a_column_of_companies_is_proposed_as_the_organization(scope: Cast, kind: str, header: str) -> None:
    file = csv_of(["x1@a.example,+447400123451,Fern", "x2@a.example,+447400123452,Oak"], f"Email,Phone,{header}")
    field = "organization"
    for name in ("", "Company name"):
        if name:
            made = create_field(actor_id=scope.owner.pk, values={"name": name, "field_type": "text", "panel": kind})
            field = made.unique_field_id
        for api in (scope.key, scope.session):
            body = {"importType": kind, "fileId": helpers.upload(scope, file)}
            job = api.post(f"/{kind}/import", body).data["import"]
            assert job["columnMapping"][header] == field
