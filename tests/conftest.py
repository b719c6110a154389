"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import TestCase, TransactionTestCase
from hypothesis.internal.conjecture import providers
from psycopg.pq import TransactionStatus

from accounts.members import readers
from accounts.request_log.entry import Entry
from accounts.request_log.recorder import RECORDER
from accounts.settings import formats
from config.api_docs import stored
from core.access import attempts, pace
from core.access.attempts import Limit
from core.ids import new_id
from core.jobs import notify
from core.jobs.liveness import release_lock
from core.messages import services as messages
from core.messages.defaults import DEFAULTS
from outreach.messaging.delivery.sending import loop
from tests.kit import openapi, provisioned
from tests.kit.cast import Cast, keep_casts, kept_casts, kept_companies
from tests.kit.clients import share_middleware
from tests.kit.database import keep_seeds, own_database, remove_companies, reset
from tests.kit.examples import SEARCHES, thorough
from tests.kit.sending import in_this_thread

# The suite looks at the same examples each time, so that its result says something about the change; `make fuzz` looks
# for new ones, and for more (`thorough`).
hypothesis.settings.register_profile(
    "suite", derandomize=True, database=None, deadline=None, max_examples=thorough(100)
)
hypothesis.settings.register_profile("search", database=None, print_blob=True, deadline=None)
if not SEARCHES:
    # Hypothesis also tries the constants of our modules. Reading all of them costs each process seconds, and looking
    # through them at each draw a quarter of the fuzzer's time: only `make fuzz` does so.
    assert callable(providers._get_local_constants)
    providers._get_local_constants = providers.Constants
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# The suite's process holds many objects for long; looking through them at the usual pace took a
# seventh of a run: 50.4 s to 43.5 s on 210 tests.
gc.set_threshold(100_000, 20, 50)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the long tests first, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any, worker_id: str) -> Iterator[None]:
    """A database of this process's own; before it goes, let go of the connection by which this process says that it is
    alive."""
    with django_db_blocker.unblock(), own_database(worker_id):
        provisioned.remember()
        keep_casts()
        keep_seeds()
        with django_db_blocker.block():
            yield
        release_lock()


# A request for the schema would start a process that builds it.
stored.builder.start = lambda: None  # type: ignore[method-assign]

# What Django does after a test that committed truncates every table and emits post_migrate for every app.
TransactionTestCase._fixture_teardown = lambda case: reset()  # type: ignore[method-assign]


def roll_back(case: TestCase) -> None:
    """Check the constraints that a commit checks, and take back what the test did.

    Django asks the server first if the connection works, and lets constraints wait again, which the rollback does too.
    """
    try:
        session = None if connection.needs_rollback else connection.connection
        if session is not None and session.info.transaction_status is TransactionStatus.INTRANS:
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    finally:
        case._rollback_atomics(case.atomics)


TestCase._fixture_teardown = roll_back  # type: ignore[method-assign]


@pytest.fixture
def casts(db: None) -> list[Cast]:
    return kept_casts()


@pytest.fixture
def cast(casts: list[Cast]) -> Cast:
    """A company, its owner, a narrow member and an API key."""
    return casts[0]


@pytest.fixture
def outsiders(casts: list[Cast]) -> Cast:
    """Another company."""
    return casts[1]


@pytest.fixture
def nobody(db: None) -> None:
    """The service is new: it has neither companies nor users."""
    remove_companies()


@pytest.fixture
def scope(cast: Cast) -> Iterator[Cast]:
    """The cast's company is the active one."""
    with cast.scope():
        yield cast


# The thread that writes the server log is outside of every test's transaction; fixtures that live longer than a test
# make requests too.
RECORDER.put = lambda entry: None  # type: ignore[method-assign]


openapi.install()
share_middleware()


@pytest.fixture(autouse=True)
def logged(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """What the server log would say of the test's requests."""
    entries: list[Entry] = []
    monkeypatch.setattr(RECORDER, "put", entries.append)
    return entries


REQUESTS = attempts.LocalCounts()


def counted_here(keys: list[str], seconds: int) -> list[tuple[int, float]]:
    """Count requests as a process does while Redis is away, which saves each of them a round trip."""
    return [REQUESTS.count(key, seconds) for key in keys]


@pytest.fixture
def limits() -> None:
    """Attempts are limited in this test."""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Keep the test to its own process and transaction, but for what it asks for by markers and fixtures.

    This is one fixture, because each that all tests have takes time of every test.
    """
    marks = {mark.name for mark in request.node.iter_markers()}
    # What the test says that it may meet, beside answers that the OpenAPI schema describes.
    for name in openapi.allowed:
        monkeypatch.setitem(openapi.allowed, name, name in marks)
    # Notifications of workers go nowhere: the work is in PostgreSQL.
    if "broker" not in marks:
        monkeypatch.setattr(notify, "_publish", lambda work, **_: None)
    # Messages go out in the test's own thread, whose transaction no other connection sees.
    if "threads" not in marks:
        monkeypatch.setattr(loop, "_new", in_this_thread)
    # The message rows are known as seeded until a test edits one, so that no test counts the query that reads them.
    monkeypatch.setattr(messages, "_kept", (float("inf"), dict(DEFAULTS)))
    keep_for_the_test(monkeypatch)
    # Tests share one Redis: those that ask for `limits` count under keys of their own, the others are not limited.
    if "limits" in request.fixturenames:
        own = new_id()
        monkeypatch.setattr(Limit, "_key", lambda limit, value: f"test:{own}:{limit.name}:{value}")
    else:
        monkeypatch.setattr(Limit, "count", lambda limit, value: None)
        monkeypatch.setattr(Limit, "count_up_to", lambda limit, value, wanted: wanted)
        monkeypatch.setattr(pace, "count_all", counted_here)


def keep_for_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read what a process keeps of a company for seconds in each test, and then keep it to its end, so that no test
    counts a query of a clock that has moved on, or sees what another test has left."""
    formats._kept_zone.cache_clear()
    cache.delete_many([f"look:{company}" for company in kept_companies()])
    monkeypatch.setattr(formats, "ZONE_SECONDS", 10**9)
    monkeypatch.setattr(readers, "LOOK_KNOWN_FOR", 600)
