"""Pictures of brands: of a few types and sizes, and re-encoded, so that no other data remains."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from core.errors import ValidationFailed

MAX_BYTES = 2 * 1024 * 1024
MAX_SIDE = 4000
TYPES = ("PNG", "JPEG", "WEBP")


@dataclass(frozen=True)
class Fit:
    """The box that a picture is fitted into, and the least side that it may have."""

    width: int
    height: int
    least: int
    square: bool = False


FITS = {"logo": Fit(480, 96, 24), "favicon": Fit(64, 64, 32, square=True)}


@dataclass(frozen=True)
class Drawn:
    """A picture as PNG."""

    content: bytes
    width: int
    height: int


def reencode_image(content: bytes, kind: str, field: str) -> Drawn:
    """Read a picture and re-encode it, in the size that pages show. Raises ValidationFailed with the field."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415  takes time that no other request needs

    if len(content) > MAX_BYTES:
        raise ValidationFailed(
            f"{field}: too large", f"choose a picture of at most {MAX_BYTES // 1024**2} MB", field=field
        )
    fit = FITS[kind]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=TYPES) as image:
                _check_size(image.size, fit, field)
                whole = ImageOps.exif_transpose(image.convert("RGBA"))
    except UnidentifiedImageError:
        raise ValidationFailed(f"{field}: no picture", "choose a PNG, JPEG or WebP picture", field=field) from None
    except ValidationFailed:
        raise
    except Exception:  # noqa: BLE001  bytes that are no picture make Pillow raise whatever it stumbles over
        raise ValidationFailed(
            f"{field}: unreadable", "choose another picture; this one is damaged", field=field
        ) from None
    whole.thumbnail((fit.width, fit.height))
    return _encode_png(Image.frombytes("RGBA", whole.size, whole.tobytes()))


def _check_size(size: tuple[int, int], fit: Fit, field: str) -> None:
    """Refuse sizes before the picture is decoded."""
    width, height = size
    if max(size) > MAX_SIDE:
        raise ValidationFailed(
            f"{field}: too large", f"choose a picture of at most {MAX_SIDE} pixels a side", field=field
        )
    if min(size) < fit.least:
        raise ValidationFailed(
            f"{field}: too small", f"choose a picture of at least {fit.least} pixels a side", field=field
        )
    if fit.square and width != height:
        raise ValidationFailed(
            f"{field}: not square", f"choose a square picture; this one is {width} × {height} pixels", field=field
        )


def _encode_png(picture: Any) -> Drawn:
    target = BytesIO()
    picture.save(target, "PNG", optimize=True)
    width, height = picture.size
    return Drawn(target.getvalue(), width, height)
