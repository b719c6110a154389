"""Query parameters of endpoints outside of the standard list contract: the known ones, and the size of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.errors import shorten
from core.lists.values import refuse

IGNORED = frozenset({"_"})
"""Parameters that HTTP libraries add against caches."""


def refuse_unknown(params: Iterable[str], names: Iterable[str] = ()) -> None:
    """Refuse a parameter that the endpoint does not know."""
    names = sorted(names)
    unknown = next((name for name in params if name not in names and name not in IGNORED), None)
    if unknown is not None:
        raise refuse(shorten(unknown, 60), f"is an unknown parameter; known: {', '.join(names) or 'none'}")


def page_size(params: Mapping[str, str], default: int, most: int) -> int:
    """Return the size of a page that `n` asks for; more than `most` counts as `most`."""
    text = params.get("n", str(default)).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise refuse("n", f"needs to be a whole number from 1 on, got {shorten(text, 40)!r}")
    return min(int(text), most)


def check_cursor_pagination(params: Mapping[str, str]) -> None:
    """Check the parameter of a list that is paged by cursor anyway."""
    if params.get("cursorPagination", "true").strip().lower() not in ("true", "false"):
        raise refuse("cursorPagination", "needs to be true or false")
