"""What a format is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, ClassVar

from core.text.formats import Formats

Cells = Sequence[Any]
"""None, booleans, numbers, dates, moments (with time zone) and texts."""


class ExportFormat:
    """A kind of file that a list can be written into."""

    name: ClassVar[str]
    """Also the ending of the file's name."""
    mime: ClassVar[str]

    def write(
        self, target: BinaryIO, headers: Sequence[str], rows: Iterable[Cells], formats: Formats, folder: str | None
    ) -> None:
        """Write the file in one go and bounded memory; `folder` is for temporary files, None the system's own.

        Nothing in a cell may run as a formula, and the importer must read back what it can hold.
        """
        raise NotImplementedError
