"""A storage for the PDFs of quotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage

from crm.files import storage as file_storage


@pytest.fixture(autouse=True)
def media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A storage of the test's own."""
    monkeypatch.setattr(file_storage, "default_storage", FileSystemStorage(location=tmp_path))
    return tmp_path
