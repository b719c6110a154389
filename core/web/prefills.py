"""Records that an address names to fill a form: a missing one is reported, and the form opens without it."""

from __future__ import annotations

from typing import Any

from core.ids import is_id
from core.web.pages import Page, page_not_found


def find_named_record(page: Page, path: str, id: str, gone: str) -> Any:
    """Return the record of the API's list `path` with the id; None without an id.

    For one that is gone it is None as well, with the toast `gone`.
    """
    if not id:
        return None
    answer = page.ask("GET", f"{path}/{id}") if is_id(id) else None
    if answer is None or not answer.ok:
        page.add_error_toast(gone)
        return None
    return answer.data


def edited_record(page: Page, path: str, id: str) -> Any:
    """Return the record of the API's list `path` that a form changes; None without an id, for a new one.

    Raises PageError with 404 for a missing one.
    """
    if not id:
        return None
    answer = page.ask("GET", f"{path}/{id}") if is_id(id) else None
    if answer is None or answer.status in (400, 404):
        raise page_not_found()
    return page.require_ok(answer).data
