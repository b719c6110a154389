"""Readers of pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from outreach.connections.ocr.cards import Line


class OcrFailed(Exception):
    """A picture could not be read. People read `detail`, which repeats no key.

    `temporary` says that another try may succeed, `by_key` that the provider refuses the key.
    """

    def __init__(self, detail: str, *, temporary: bool, by_key: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.temporary = temporary
        self.by_key = by_key


class OcrProvider(ABC):
    """Reads pictures, with the key of an app."""

    key: ClassVar[str]
    """Stored with each app: never change it."""
    name: ClassVar[str]
    needs_key: ClassVar[bool] = True

    def __init__(self, secret: str = "") -> None:
        self.secret = secret

    @classmethod
    def missing(cls) -> str:
        """Return the reason why it cannot be used on this service; empty if it can."""
        return ""

    @abstractmethod
    def read(self, picture: Path, mime: str, *, seconds: float) -> list[Line]:
        """Return the lines of a picture, from top to bottom, within `seconds`. Raises OcrFailed."""
