"""The providers that read pictures: a new one is a module here, and an entry of PROVIDERS."""

from __future__ import annotations

from outreach.connections.ocr.providers.base import OcrFailed, OcrProvider
from outreach.connections.ocr.providers.local import LocalOcr
from outreach.connections.ocr.providers.ocr_space import OcrSpace

__all__ = ["PROVIDERS", "OcrFailed", "OcrProvider"]

PROVIDERS: dict[str, type[OcrProvider]] = {one.key: one for one in (LocalOcr, OcrSpace)}
