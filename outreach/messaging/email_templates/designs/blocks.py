"""The design of an email: a style, and blocks in their order. Version 1 of its JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from core.errors import FieldError, NamedError
from core.ids import is_id
from core.types import JsonObject
from outreach.messaging.email_templates.designs.inline import is_address

VERSION = 1
MAX_BLOCKS = 100
MAX_TEXT = 20_000
MAX_DEPTH = 10
"""Objects and lists within each other: more than any valid design has."""
REFUSED = "InvalidEmailTemplate_400"
FONTS = {
    "arial": "Arial, Helvetica, sans-serif",
    "georgia": "Georgia, 'Times New Roman', serif",
    "tahoma": "Tahoma, Verdana, sans-serif",
    "times": "'Times New Roman', Times, serif",
    "trebuchet": "'Trebuchet MS', Tahoma, sans-serif",
    "verdana": "Verdana, Geneva, sans-serif",
}
"""Fonts that every computer has, since mail programs load none."""
_COLOR = re.compile("#[0-9a-fA-F]{6}")
Align = Literal["left", "center", "right"]


class Part(BaseModel):
    """A part of a design. It has no other keys than these."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=False)


def _address(text: str) -> str:
    if text and not is_address(text):
        raise PydanticCustomError("address", "enter an address that begins with https://, mailto: or tel:")
    return text


def _picture(text: str) -> str:
    if text and (not text.lower().startswith(("https://", "http://")) or not is_address(text)):
        raise PydanticCustomError("address", "enter an address that begins with https://")
    return text


def _color(text: str) -> str:
    if text and not _COLOR.fullmatch(text):
        raise PydanticCustomError("color", "enter a color, such as #1d4ed8")
    return text.lower()


def _file(id: str | None) -> str | None:
    if id is not None and not is_id(id):
        raise PydanticCustomError("id", "must be the id of a file, 24 hex characters")
    return id


class Linked(Part):
    """A part with a picture and a link."""

    file: str | None = None
    """Id of a picture of the company's files; otherwise `url`."""
    url: str = Field(default="", max_length=2000)
    alt: str = Field(default="", max_length=300)
    link: str = Field(default="", max_length=2000)

    _check_file = field_validator("file")(_file)
    _check_url = field_validator("url")(_picture)
    _check_link = field_validator("link")(_address)


class Heading(Part):
    type: Literal["heading"]
    text: str = Field(min_length=1, max_length=500)
    level: Literal[1, 2, 3] = 1
    align: Align = "left"


class Text(Part):
    type: Literal["text"]
    text: str = Field(min_length=1, max_length=MAX_TEXT)
    align: Align = "left"


class Image(Linked):
    type: Literal["image"]
    width: int | None = Field(default=None, ge=20, le=700)
    align: Align = "center"


class Button(Part):
    type: Literal["button"]
    label: str = Field(min_length=1, max_length=100)
    url: str = Field(min_length=1, max_length=2000)
    align: Align = "left"

    _check_url = field_validator("url")(_address)


class Divider(Part):
    type: Literal["divider"]


class SocialLink(Part):
    network: Literal[
        "linkedin", "facebook", "instagram", "x", "youtube", "tiktok", "whatsapp", "telegram", "pinterest", "snapchat",
        "threads",
    ]  # fmt: skip
    url: str = Field(min_length=1, max_length=2000)

    _check_url = field_validator("url")(_address)


class Social(Part):
    type: Literal["social"]
    links: list[SocialLink] = Field(default=[], max_length=20)
    """Without any, those of the company's settings."""
    align: Align = "center"


class Footer(Part):
    type: Literal["footer"]
    text: str = Field(default="", max_length=2000)
    """Empty: the company's name and address."""
    align: Align = "center"


class Product(Linked):
    type: Literal["product"]
    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=2000)
    price: str = Field(default="", max_length=60)
    label: str = Field(default="", max_length=100)
    """Label of the button."""
    align: Align = "left"


Single = Annotated[Heading | Text | Image | Button | Divider | Social | Footer | Product, Field(discriminator="type")]


class Column(Part):
    blocks: list[Single] = Field(default=[], max_length=20)


class Columns(Part):
    type: Literal["columns"]
    columns: list[Column] = Field(min_length=2, max_length=3)


Block = Annotated[
    Heading | Text | Image | Button | Columns | Divider | Social | Footer | Product, Field(discriminator="type")
]
AnyBlock = Heading | Text | Image | Button | Columns | Divider | Social | Footer | Product


class Style(Part):
    """The look of one email. What is empty is the company's, or the service's."""

    font: Literal["", "arial", "georgia", "tahoma", "times", "trebuchet", "verdana"] = ""
    accent: str = ""
    """Colour of links and buttons."""
    background: str = ""
    surface: str = ""
    """Colour behind the blocks."""
    text: str = ""
    logo: bool = True
    """The company's logo stands at the top."""
    width: int = Field(default=600, ge=400, le=700)

    _check_colors = field_validator("accent", "background", "surface", "text")(_color)


class Design(Part):
    version: Literal[1]
    preheader: str = Field(default="", max_length=200)
    """The text after the subject in the inbox."""
    style: Style = Style()
    blocks: list[Block] = Field(min_length=1, max_length=MAX_BLOCKS)


def read_design(value: Any, field: str = "design") -> Design:
    """Return the design. Raises InvalidEmailTemplate_400, which names each wrong part by its path."""
    try:
        design = Design.model_validate(value)
    except ValidationError as error:
        errors = [_field_error(detail, field) for detail in error.errors(include_url=False, include_input=False)[:20]]
        raise NamedError(REFUSED, errors[0]["message"], field=errors[0]["field"], errors=errors) from None
    # Blocks in columns count too; the field knows only those of the first level.
    if sum(1 for _ in blocks_in(design)) > MAX_BLOCKS:
        raise NamedError(REFUSED, f"has more than {MAX_BLOCKS} blocks", field=f"{field}.blocks")
    return design


def blocks_in(design: Design) -> Iterator[tuple[str, AnyBlock]]:
    """Return all blocks with their paths, those in columns after their columns."""
    for number, block in enumerate(design.blocks):
        yield f"blocks.{number}", block
        if isinstance(block, Columns):
            for place, column in enumerate(block.columns):
                for row, inner in enumerate(column.blocks):
                    yield f"blocks.{number}.columns.{place}.blocks.{row}", inner


def parts_of(value: Any, depth: int = MAX_DEPTH) -> Iterator[JsonObject]:
    """Return all objects within a design's JSON, valid or not."""
    if isinstance(value, dict):
        yield value
    inner: Any = value.values() if isinstance(value, dict) else value
    for part in inner if depth and isinstance(value, dict | list) else ():
        yield from parts_of(part, depth - 1)


def texts_in(value: Any) -> list[str]:
    """Return all texts of a design's JSON."""
    return [text for _, text in _paths(value)]


def path_of_text(design: JsonObject, mark: str) -> str:
    """Return the path of the first text in a design that has the mark in it; empty if none has."""
    return next((path for path, text in _paths(design) if mark in text), "")


def _paths(value: Any, path: str = "", depth: int = MAX_DEPTH) -> Iterator[tuple[str, str]]:
    """Return all texts of a design's JSON with their paths."""
    if isinstance(value, str):
        yield path, value
    pairs: Any = enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        pairs = value.items()
    for key, part in pairs if depth else ():
        yield from _paths(part, f"{path}.{key}" if path else str(key), depth - 1)


_TYPES = ("heading", "text", "image", "button", "columns", "divider", "social", "footer", "product")
_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is unknown here",
    "string_too_short": "enter a text",
    "union_tag_invalid": f"choose one of {', '.join(_TYPES)}",
    "union_tag_not_found": f"enter the type: {', '.join(_TYPES)}",
}
"""Kind of an error of pydantic -> its text."""


def _field_error(error: Any, field: str) -> FieldError:
    """Return an error as the API has it. The types of blocks, which pydantic puts in paths, are left out."""
    path: list[str] = [field]
    before: int | str = ""
    for part in error["loc"]:
        if not (isinstance(before, int) and part in _TYPES):
            path.append(str(part))
        before = part
    return FieldError(field=".".join(path), message=_message(error))


def _message(error: Any) -> str:
    kind, limits = error["type"], error.get("ctx", {})
    if kind == "string_too_long":
        return f"enter at most {limits['max_length']:,} characters"
    if kind == "literal_error":
        return f"choose one of {limits['expected']}"
    text: str = _WORDS.get(kind, error["msg"])
    return text[:1].lower() + text[1:]
