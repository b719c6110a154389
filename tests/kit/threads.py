"""Things done at once, each in a thread with a connection of its own; what they work on must be committed
(transactional_db)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from django.db import connection

from core.errors import ApiError, NamedError
from core.tenancy import company_scope


def at_once(number: int, company: str | None, call: Callable[[int], Any]) -> list[Any]:
    """Make so many calls at once inside the company (None: in no scope). Returns their results or names of errors."""

    def run(n: int) -> Any:
        try:
            with company_scope(company) if company else nullcontext():
                return call(n)
        except ApiError as error:
            return error.name if isinstance(error, NamedError) else type(error).__name__
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))
