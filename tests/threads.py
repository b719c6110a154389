"""Things done at once, each in a thread with a connection of its own; what they work on must be committed (transactional_db)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection

from core.errors import Named
from core.tenancy import company_scope


def at_once(number: int, company: str, call: Callable[[int], Any]) -> list[Any]:
    """The results, or the names of the errors, of calls inside the company."""

    def run(n: int) -> Any:
        try:
            with company_scope(company):
                return call(n)
        except Named as error:
            return error.name
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))
