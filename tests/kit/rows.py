"""Tests over many operations: one cast for all of them, and a subtest with a savepoint for each, so that none sees
what another did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction


@contextmanager
def kept_for_module(blocker: Any) -> Iterator[None]:
    """Open a transaction around all tests of a module, rolled back at the end; each of them finds what a fixture makes
    inside."""
    with blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def row(subtests: pytest.Subtests, operation: object) -> Iterator[None]:
    """Open a subtest named after the operation, whose changes are rolled back."""
    with subtests.test(str(operation)), transaction.atomic():
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # until the savepoint is rolled back
        transaction.set_rollback(True)
