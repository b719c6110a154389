"""The body of a template that has a design: the MJML that is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from core.errors import NamedError, shorten
from core.types import JsonObject, Values
from crm.files.models import File
from crm.files.public_pictures import PICTURE_TYPES, picture_address
from outreach.messaging.email_templates.designs.blocks import (
    REFUSED,
    Design,
    Image,
    Linked,
    blocks_in,
    path_of_text,
    read_design,
)
from outreach.messaging.email_templates.designs.brands import brand_of_company
from outreach.messaging.email_templates.designs.mjml import mjml_of
from outreach.messaging.email_templates.models import EmailTemplate

MAX_PICTURE = 2 * 1024 * 1024
GONE = "FileNotFound_400"


def with_body(values: Values, template: EmailTemplate | None = None) -> JsonObject:
    """Return a template's values with the body of their design.

    Raises InvalidEmailTemplate_400 for an invalid design, and for a body that contradicts the design. Raises
    FileNotFound_400 for a picture.
    """
    stored = template.design if template else None
    design = values.get("design", stored)
    before = template.body if template else None
    if design is None:
        return dict(values)
    # Clients that write back what they have read send the body as well.
    if "body" in values and values["body"] != before:
        text = "is made of the design; change the design, or set it to null to write the body"
        raise NamedError(REFUSED, text, field="body")
    if "design" not in values:
        return dict(values)
    # Stored as parsed, with all defaults: a later version of the service may have others.
    read = read_design(design)
    return {**values, "design": read.model_dump(), "body": body_of(read)}


def body_of(design: Design) -> str:
    """Return the MJML of a design with the company's brand. Raises InvalidEmailTemplate_400, FileNotFound_400."""
    return mjml_of(design, brand_of_company(), _pictures(design))


def _pictures(design: Design) -> Mapping[str, str]:
    """Return the public addresses of the design's files."""
    parts = [(path, block) for path, block in blocks_in(design) if isinstance(block, Linked)]
    # One statement for the pictures of all blocks.
    ids = {part.file for _, part in parts if part.file}
    files = {file.pk: file for file in File.objects.filter(pk__in=ids, is_deleted=False)} if ids else {}
    for path, part in parts:
        if part.file:
            _check_picture(files.get(part.file), f"design.{path}.file")
        elif isinstance(part, Image) and not part.url:
            raise NamedError(REFUSED, "choose a picture", field=f"design.{path}.file")
    return {id: picture_address(id) for id in files}


def _check_picture(file: File | None, field: str) -> None:
    if file is None or file.trashed_at is not None:
        text = f"{shorten(file.name)} is in the recycle bin" if file else "there is no such file"
        raise NamedError(GONE, text, field=field)
    if file.mime not in PICTURE_TYPES:
        raise NamedError(REFUSED, "choose a PNG, JPEG, GIF or WebP picture", field=field)
    # Recipients load pictures over mobile networks.
    if file.size > MAX_PICTURE:
        raise NamedError(REFUSED, f"choose a picture of at most {MAX_PICTURE // 1024**2} MB", field=field)


@contextmanager
def design_fields(design: JsonObject | None) -> Iterator[None]:
    """Name the part of the design in errors about the body that is made of it."""
    try:
        yield
    except NamedError as error:
        if design is not None and error.fields == ("body",):
            path = path_of_text(design, str(error.params["name"])) if "name" in error.params else ""
            field = f"design.{path}" if path else "design"
            error.rename_fields(lambda name: field)
        raise
