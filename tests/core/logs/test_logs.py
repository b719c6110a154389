"""Lines of the log: objects with the request that they belong to, also in the work that it began, and no secret."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from accounts.request_log.recorder import RECORDER
from billing.models import Subscription
from core.jobs import WORK
from core.jobs import runner as runner_module
from core.logs import JsonFormatter, LineFormatter, log_context, request_id
from core.logs.middleware import RequestIds
from crm.contacts.views import ContactViewSet
from crm.exports.models import Export
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(settings: Any) -> Iterator[io.StringIO]:
    """What is logged, as JSON."""
    settings.LOG_REQUESTS = True
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


def read(lines: io.StringIO, logger: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in lines.getvalue().splitlines()]
    return [line for line in found if line["logger"] == logger]


def test_a_request_has_one_id_in_its_answer_its_line_and_the_server_log(
    cast: Cast, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: list[Any] = []
    monkeypatch.setattr(RECORDER, "put", entries.append)
    one = cast.key.call("GET", "/contact", query={"p": 1, "n": 1}, HTTP_X_REQUEST_ID="mine")
    other = cast.key.call("GET", "/contact/0123456789abcdef01234567")
    ids = [answer.headers["X-Request-ID"] for answer in (one, other)]
    told = read(lines, "leadwright.requests")
    assert [line["request"] for line in told] == ids == [entry.id for entry in entries]
    assert len(set(ids)) == 2
    assert "mine" not in ids
    assert told[0].items() >= {"method": "GET", "status": 200, "company": cast.company.pk, "level": "info"}.items()
    assert "0123456789abcdef01234567" not in told[1]["route"]
    assert request_id() == ""


def test_lines_of_a_job_carry_the_request_that_began_it(cast: Cast, lines: io.StringIO) -> None:
    answer = cast.key.post("/export", {"resource": "contact", "format": "csv"})
    job = answer.data["_id"]
    with cast.scope():
        assert Export.objects.get(pk=job).request_id == answer.headers["X-Request-ID"]

    def fail(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    work: Any = WORK["export"]
    [claimed] = runner_module.claim(work.model, limit=1)
    runner_module.run_job(claimed, fail, float("inf"))
    [line] = read(lines, "core.jobs.runner")
    assert (line["request"], line["job"], line["company"]) == (answer.headers["X-Request-ID"], job, cast.company.pk)
    assert "the disk is full" in line["exception"]


@pytest.mark.unexpected
def test_no_secret_of_a_request_is_logged(cast: Cast, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ["canary-password-1", "canary-token-2", "canary-query-3"]
    cast.key.post("/apps/smtp", {"host": "127.0.0.1", "port": 1, "username": "u", "password": secrets[0]})
    cast.key.client.post(f"/api/public/workflow-hooks/{secrets[1]}", {}, content_type="application/json")
    cast.key.client.get(f"/f/{secrets[1]}?email={secrets[2]}")
    cast.key.call("GET", "/contact", query={"searchValue": secrets[2]})
    for who in (cast.key, cast.session):
        secrets += [value.removeprefix("Bearer ") for value in who.headers.values() if len(value) > 24]
    assert len(secrets) > 4
    assert len(read(lines, "leadwright.requests")) == 4
    assert [secret for secret in secrets if secret in lines.getvalue()] == []


def test_lines_for_people_say_what_they_belong_to() -> None:
    record = logging.LogRecord("crm", logging.INFO, "x.py", 1, "%s rows", (3,), None)
    assert LineFormatter().format(record).endswith("INFO    crm: 3 rows")
    with log_context(request="r", job="", company=None), log_context(job="j"):
        assert LineFormatter().format(record).endswith("crm: 3 rows [request=r job=j]")


def test_a_status_of_500_that_is_meant_is_a_warning_with_the_requests_id(cast: Cast, lines: io.StringIO) -> None:
    with cast.scope():
        Subscription.objects.update(status="expired", ends_at=timezone.now() - timedelta(days=9))
    answer = cast.session.get("/contact")
    assert answer.status == 500, answer.body
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    [line] = [one for one in told if one["level"] in ("warning", "error")]
    assert (line["level"], line["request"]) == ("warning", answer.headers["X-Request-ID"])
    assert line["message"].startswith("SubscriptionExpired_400 is answered with 500")


@pytest.mark.unexpected
def test_an_unexpected_failure_is_one_error_with_the_requests_id(
    cast: Cast, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(ContactViewSet, "list", fail)
    answer = cast.key.get("/contact")
    errors = [json.loads(line) for line in lines.getvalue().splitlines() if '"error"' in line]
    assert [(one["request"], "boom" in one["exception"]) for one in errors] == [(answer.headers["X-Request-ID"], True)]


def test_an_answer_of_500_that_nobody_logged_is_logged_with_the_requests_id(lines: io.StringIO) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=503)

    found = convert_exception_to_response(RequestIds(answer))(RequestFactory().get("/hooks/secret"))
    [line] = read(lines, "django.request")
    assert (line["level"], line["request"]) == ("error", found.headers["X-Request-ID"])
    assert "secret" not in line["message"]
