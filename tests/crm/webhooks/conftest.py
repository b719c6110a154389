"""Fixtures of the feed and of webhooks."""

from __future__ import annotations

import pytest

from core.events import feed

OF_THIS_DATABASE = """(
    SELECT coalesce(min(x::text::bigint)::text::xid8, pg_snapshot_xmax(pg_current_snapshot()))
    FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE x::text NOT IN (
        SELECT backend_xid::text FROM pg_stat_activity WHERE datname <> current_database() AND backend_xid IS NOT NULL
    )
)"""
"""The horizon without the transactions of the other databases, in which other tests run just now."""


@pytest.fixture(autouse=True)
def horizon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "HORIZON", OF_THIS_DATABASE)
