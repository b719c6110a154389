"""Making follow-ups in tests, and what becomes of them."""

from __future__ import annotations

from typing import Any

from accounts.models import Mail
from core.jobs import WORK
from core.models import Event
from core.tenancy import unscoped
from crm.models import Lead
from tests.kit.cast import Answer, Cast

MISSING = "0" * 24
PATH = "/lead-activity/follow-up"
DUE = "2090-03-09T14:30:00+01:00"


def new(cast: Cast, lead: Lead, **body: Any) -> dict[str, Any]:
    answer = cast.key.post(PATH, {"lead": lead.pk, "title": "Call back", "dueAt": DUE, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def patch(cast: Cast, id: str, **body: Any) -> Answer:
    return cast.key.call("PATCH", f"{PATH}/{id}", body)


def mails() -> list[tuple[str, str]]:
    """Return address and subject of every reminder, in the order in which they were written."""
    with unscoped(reason="test: mails"):
        return list(Mail.objects.filter(kind="follow_up_reminder").order_by("id").values_list("to", "subject"))


def work() -> None:
    WORK["reminders"].drain(float("inf"))
    assert not WORK["reminders"].due()


def events(cast: Cast) -> list[tuple[str, Any]]:
    with cast.scope():
        return list(Event.objects.filter(kind__startswith="follow-up").order_by("id").values_list("kind", "payload"))
