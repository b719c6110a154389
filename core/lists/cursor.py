"""nextCursor: base64url JSON of the sort, the query's fingerprint, the last row's sort values and the total.

It carries no secret and grants nothing: a forged cursor gives a 400 or a page of the caller's own records. The total is
signed, since later pages repeat it as totalCount.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.crypto import constant_time_compare

from core.crypto import lookup_hash
from core.lists.values import Kind, pack, refuse, unpack
from core.types import JsonObject

MAX_TOTAL = 2**53
# A cursor may hold several texts of 10,000 characters, and each of them as JSON.
MAX_LENGTH = 100_000


@dataclass(frozen=True)
class Cursor:
    """A position in a sorted set. `values` are packed; the last one is the record's id."""

    sort: tuple[tuple[str, str], ...]
    fingerprint: str
    values: tuple[Any, ...]
    total: int

    def encode(self) -> str:
        content: JsonObject = {
            "sort": self.sort,
            "query": self.fingerprint,
            "after": self.values,
            "total": self.total,
        }
        # Otherwise a caller could choose the totalCount that the next pages show.
        content["signature"] = _signature(self.fingerprint, self.total)
        raw = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def cursor_at(sort: Sequence[tuple[str, str]], fingerprint: str, values: Sequence[Any], total: int) -> Cursor:
    """Make the cursor of a row with these sort values."""
    return Cursor(tuple(sort), fingerprint, tuple(pack(value) for value in values), total)


def _signature(fingerprint: str, total: int) -> str:
    return lookup_hash(f"cursor:{fingerprint}:{total}")[:16]


def decode(token: str) -> Cursor:
    """Decode a token. Raises a 400 for anything that `encode` cannot have written."""
    try:
        return _decode(token)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise refuse(
            "cursor", "is not a nextCursor of this list; pass the previous answer's nextCursor on unchanged"
        ) from None


def _decode(token: str) -> Cursor:
    if len(token) > MAX_LENGTH:
        raise ValueError("too long")
    # Without it, b64decode skips characters that are none of its own, and one cursor has many spellings.
    raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    content = json.loads(raw)
    if not isinstance(content, dict) or set(content) != {"sort", "query", "after", "total", "signature"}:
        raise ValueError("other keys")
    sort = content["sort"]
    fingerprint = content["query"]
    values = content["after"]
    total = content["total"]
    if not isinstance(total, int) or isinstance(total, bool) or not 0 <= total <= MAX_TOTAL:
        raise ValueError("no total")
    if (
        not isinstance(fingerprint, str)
        or not isinstance(values, list)
        or not isinstance(sort, list)
        or len(values) != len(sort) + 1
    ):
        raise ValueError("other shapes")
    if not constant_time_compare(content["signature"], _signature(fingerprint, total)):
        raise ValueError("another total")
    pairs = tuple((name, order) for name, order in sort)
    if not all(isinstance(name, str) and order in ("asc", "desc") for name, order in pairs):
        raise ValueError("no sort")
    return Cursor(pairs, fingerprint, tuple(values), total)


def unpack_values(cursor: Cursor, kinds: Sequence[Kind], nullable: Sequence[bool]) -> list[Any]:
    """Return the row's typed sort values and its id. `kinds` and `nullable` describe the sort's fields."""
    try:
        values = [unpack(kind, value) for kind, value in zip((*kinds, "id"), cursor.values, strict=True)]
        # A null where no row has one would select a section that does not exist.
        if any(value is None and not may for value, may in zip(values, (*nullable, False), strict=True)):
            raise ValueError("null where there is none")
    except (ValueError, OverflowError):
        raise refuse(
            "cursor", "is not a nextCursor of this list; pass the previous answer's nextCursor on unchanged"
        ) from None
    return values
