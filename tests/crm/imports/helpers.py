"""Making imports in tests: a file through POST /upload, the import through the API, the worker by hand."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from core.jobs import WORK
from tests.kit.cast import Cast

HEADER = "Name,Email,Country code,Phone"
MAPPING = {"Name": "name", "Email": "email", "Country code": "countryCode", "Phone": "number"}


def people(count: int, start: int = 1) -> list[str]:
    """Return CSV lines of valid contacts; the first is in row 2 of a file."""
    return [f"Person {number},person{number}@example.org,+49,151{number:08}" for number in range(start, start + count)]


def csv_of(lines: list[str], header: str = HEADER) -> bytes:
    return "\n".join([header, *lines, ""]).encode()


def upload(cast: Cast, content: bytes, name: str = "people.csv") -> str:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def make(cast: Cast, content: bytes, **body: Any) -> dict[str, Any]:
    """Create an import of the content. Returns it as POST /contact/import answers."""
    file_id = upload(cast, content)
    answer = cast.key.post("/contact/import", {"importType": "contact", "fileId": file_id, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data["import"])


def work() -> None:
    """Run what is due, as a worker does."""
    WORK["import"].drain(float("inf"))


def run(cast: Cast, content: bytes, **body: Any) -> dict[str, Any]:
    """Run an import of the content to its end."""
    made = make(cast, content, **{"pauseImport": False, "columnMapping": MAPPING, **body})
    work()
    return dict(cast.key.get(f"/contact/import/{made['_id']}").data)


def counts(job: dict[str, Any]) -> tuple[str, int, int, int, int, int]:
    """Return (status, processed, created, updated, skipped, failed)"""
    return (job["status"], job["processed"], job["created"], job["updated"], job["skipped"], job["failed"])
