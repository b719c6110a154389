"""/metrics: for who has the token, figures of work and requests, and no label that names a company."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.mails.models import Mail
from config.metrics import view
from config.metrics.requests import area_of
from core.hold.services import begin_hold
from core.jobs.heartbeat import record_tick
from core.jobs.liveness import worker_number
from core.tenancy import unscoped
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-a-test"


def read(client: Client, token: str = TOKEN) -> dict[str, list[Any]]:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.content
    return {family.name: family.samples for family in text_string_to_metric_families(answer.content.decode())}


@pytest.mark.parametrize(("setting", "sent"), [("", ""), ("", "x"), (TOKEN, ""), (TOKEN, "x"), (TOKEN, f"{TOKEN}x")])
def test_without_the_token_there_is_no_such_page(client: Client, settings: Any, setting: str, sent: str) -> None:
    settings.METRICS_TOKEN = setting
    assert client.get("/metrics", headers={"Authorization": f"Bearer {sent}"}).status_code == 404
    assert client.get("/metrics").status_code == 404


def test_work_workers_and_ages_are_told(client: Client, settings: Any, cast: Cast) -> None:
    settings.METRICS_TOKEN = TOKEN
    record_tick()
    number = worker_number()
    due = timezone.now() - timedelta(seconds=100)
    with unscoped(reason="test: mails of the service"):
        for n in range(3):
            Mail(to=f"p{n}@example.org", subject="Hello", text="Hello", due_at=due).save()
        Mail(to="q@example.org", subject="Hello", text="Hello", status="sending", worker=number).save()
    told = read(client)

    def value(name: str, **labels: str) -> float:
        [found] = [one.value for one in told[name] if one.labels.items() >= labels.items()]
        return float(found)

    assert value("leadwright_database_up") == 1
    assert value("leadwright_work_due", work="mails", queue="send") == 1
    assert value("leadwright_work_waiting", work="mails") == 3
    assert value("leadwright_work_running", work="mails") == 1
    assert 99 < value("leadwright_work_oldest_seconds", work="mails") < 160
    assert value("leadwright_workers") >= 1
    assert value("leadwright_tick_age_seconds") < 60
    assert value("leadwright_held") == 0
    begin_hold("A test")
    assert read(client)["leadwright_held"][0].value == 1
    labels = {label for samples in told.values() for one in samples for label in one.labels}
    assert labels <= {"work", "queue", "status", "area", "method", "le"}
    assert cast.company.pk not in str(told)


def test_a_database_that_does_not_answer_is_told(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_TOKEN = TOKEN

    def away() -> Any:
        raise view.Error("away")

    monkeypatch.setattr(view, "read_figures", away)
    assert [one.value for one in read(client)["leadwright_database_up"]] == [0]


def test_areas() -> None:
    paths = {"/api/key/protected/contact": "key", "/api/protected/x": "session", "/f/token": "page", "/admin/": "admin"}
    assert {path: area_of(path) for path in paths} == paths
