"""The base class of export formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, BinaryIO, ClassVar

from core.text.formats import Formats

Cells = Sequence[Any]
"""None, booleans, numbers, dates, datetimes (with time zone) and texts."""


class ExactTime(datetime):
    """A time that an import may read back, so that it is written with its seconds."""


class ExportFormat(ABC):
    """A file format that a list can be exported to."""

    name: ClassVar[str]
    """Also the extension of the file's name."""
    mime: ClassVar[str]

    @abstractmethod
    def write(
        self, target: BinaryIO, headers: Sequence[str], rows: Iterable[Cells], formats: Formats, folder: str | None
    ) -> None:
        """Write the file in one pass and bounded memory. `folder` is for temporary files; None means the system's
        default.

        No cell may run as a formula, and the importer must be able to read the file.
        """
