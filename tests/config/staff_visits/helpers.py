"""Staff visits for tests: the addresses of their pages, what they log, and secrets that they must not show."""

from __future__ import annotations

from django.test import Client

from accounts.models import StaffVisit, StaffVisitPage
from core.fields import EncryptedTextField
from core.tenancy.row_security import company_models
from tests.guards.backoffice_rows import SECRET
from tests.kit.cast import Cast

REASON = "Ticket 4711: their import shows no rows"


def at(visit: StaffVisit, place: str = "") -> str:
    return f"/admin/visit/{visit.pk}/{place}"


def opened(visit: StaffVisit, cast: Cast) -> list[str]:
    with cast.scope():
        return list(StaffVisitPage.objects.filter(visit=visit).order_by("id").values_list("path", flat=True))


def show(client: Client, visit: StaffVisit, place: str = "", **query: str) -> str:
    """The page's text; it must be there and say no problem."""
    answer = client.get(at(visit, place), query)
    assert answer.status_code == 200, (place, answer.status_code)
    assert answer.context.get("problem", "") == "", place
    return answer.content.decode()


def spread_secrets(cast: Cast) -> None:
    """Every encrypted field of the company's records holds the secret, but for its key, which is one already."""
    found = 0
    with cast.scope():
        for model in company_models():
            names = [field.name for field in model._meta.concrete_fields if isinstance(field, EncryptedTextField)]
            for record in model.objects.all() if names and model.__name__ != "ApiKey" else ():
                for name in names:
                    setattr(record, name, SECRET)
                record.save()
                found += 1
    assert found > 2
