"""Making and reading exports in tests."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from accounts.models import Member
from core.jobs import WORK
from tests.kit.cast import SESSION, Answer, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory


def table(content: bytes) -> list[list[str]]:
    """Return the rows of a CSV export, the header first."""
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def records(answer: Answer) -> list[dict[str, str]]:
    """Return the records of a CSV export, by header."""
    assert answer.status == 200, answer.body
    header, *rows = table(answer.body)
    return [dict(zip(header, row, strict=True)) for row in rows]


def make(caller: Caller, resource: str = "contact", **body: Any) -> dict[str, Any]:
    """Create an export job."""
    answer = caller.post("/export", {"resource": resource, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def work() -> None:
    """Run what is due, as a worker does."""
    WORK["export"].drain(float("inf"))


def content_of(caller: Caller, export: dict[str, Any]) -> bytes:
    """Return the content of the export's file."""
    answer = caller.get(f"/file/{export['file']['_id']}/download")
    assert answer.status == 200, answer.body
    return bytes(answer.body)


def with_role(cast: Cast, permission: dict[str, Any]) -> Caller:
    with cast.scope():
        return Caller(
            SESSION,
            session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory(permission=permission))),
        )


def stored(media: Path) -> list[str]:
    """What is in the storage, unfinished files too."""
    return sorted(
        os.path.relpath(os.path.join(place, name), media) for place, _, names in os.walk(media) for name in names
    )
