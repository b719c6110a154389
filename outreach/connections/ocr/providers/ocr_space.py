"""ocr-space: the service OCR.space reads the picture."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, ClassVar

import orjson
from django.conf import settings
from pydantic import BaseModel, ValidationError

from core.outbound_http import HttpAnswer, HttpFailed, send_request
from outreach.connections.ocr.cards import Line
from outreach.connections.ocr.providers.base import OcrFailed, OcrProvider

MAX_BYTES = 5 * 1024 * 1024
READ_SURELY = 0.95
"""The service doesn't report its certainty for a line."""
_FIELDS = {"isOverlayRequired": "true", "OCREngine": "2", "scale": "true", "detectOrientation": "true"}


class _Line(BaseModel):
    LineText: str
    MaxHeight: float = 0


class _Overlay(BaseModel):
    Lines: list[_Line] = []


class _Result(BaseModel):
    ParsedText: str | None = None
    TextOverlay: _Overlay | None = None


class _Answer(BaseModel):
    ParsedResults: list[_Result] | None = None
    IsErroredOnProcessing: bool = False
    ErrorMessage: Any = None


class OcrSpace(OcrProvider):
    """Sends the picture to OCR.space, or to its address in VENDOR_BASE_URLS."""

    key: ClassVar[str] = "ocr-space"
    name: ClassVar[str] = "OCR.space"
    url: ClassVar[str] = "https://api.ocr.space"

    def read(self, picture: Path, mime: str, *, seconds: float) -> list[Line]:
        if picture.stat().st_size > MAX_BYTES:
            raise OcrFailed("The picture is larger than the 5 MB that OCR.space takes.", temporary=False)
        boundary = secrets.token_hex(16)
        headers = {"apikey": self.secret, "Content-Type": f"multipart/form-data; boundary={boundary}"}
        base = settings.VENDOR_BASE_URLS.get(self.key, self.url).rstrip("/")
        try:
            answer = send_request(
                "POST",
                f"{base}/parse/image",
                seconds=seconds,
                headers=headers,
                body=_body(boundary, picture.read_bytes(), mime),
            )
        except HttpFailed as failed:
            raise OcrFailed(failed.detail, temporary=failed.code != "refused") from None
        return _lines(answer)


def _body(boundary: str, picture: bytes, mime: str) -> bytes:
    """Return a multipart body; the file's own name doesn't go out."""
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{text}' for name, text in _FIELDS.items()]
    ending = mime.rpartition("/")[2]
    head = f'Content-Disposition: form-data; name="file"; filename="card.{ending}"\r\nContent-Type: {mime}\r\n\r\n'
    texts = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts)
    return f"{texts}--{boundary}\r\n{head}".encode() + picture + f"\r\n--{boundary}--\r\n".encode()


def _lines(answer: HttpAnswer) -> list[Line]:
    if answer.status in (401, 403):
        raise OcrFailed("OCR.space refuses the key, or its allowance is used up.", temporary=False, by_key=True)
    if answer.status == 429 or answer.status >= 500:
        raise OcrFailed(f"OCR.space is busy ({answer.status}).", temporary=True)
    try:
        parsed = _Answer.model_validate(orjson.loads(answer.body))
    except (ValidationError, orjson.JSONDecodeError):
        raise OcrFailed("The answer of OCR.space cannot be read.", temporary=True) from None
    if answer.status != 200 or parsed.IsErroredOnProcessing or not parsed.ParsedResults:
        raise OcrFailed("OCR.space cannot read this picture: is it a photo of at most 1 MB, or 5 MB?", temporary=False)
    lines = []
    for page in parsed.ParsedResults:
        if page.TextOverlay and page.TextOverlay.Lines:
            lines += [Line(line.LineText, READ_SURELY, line.MaxHeight) for line in page.TextOverlay.Lines]
        else:
            lines += [Line(text, READ_SURELY) for text in (page.ParsedText or "").splitlines()]
    return lines
