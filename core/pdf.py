"""PDF documents, by typst. The same data make the same bytes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

from core.types import JsonObject


def render_pdf(template: Path, data: JsonObject) -> bytes:
    """Render a typst template, which reads the data as JSON from `sys.inputs.data`."""
    typst: Any = import_module("typst")  # loaded with the first document
    # Names and addresses are in any script, and the built-in fonts have only some.
    fonts = [settings.INVOICE_FONTS] if settings.INVOICE_FONTS else []
    text = orjson.dumps(data).decode()
    try:
        return bytes(_compiled(typst, template, text, fonts, ["a-3b"]))
    except typst.TypstError:
        # PDF/A needs every glyph; without a font for one the plain form still shows the others.
        return bytes(_compiled(typst, template, text, fonts, []))


def _compiled(typst: Any, template: Path, data: str, fonts: list[str], standards: list[str]) -> bytes:
    options: JsonObject = {"pdf_standards": standards} if standards else {}
    document: bytes = typst.compile(str(template), sys_inputs={"data": data}, font_paths=fonts, format="pdf", **options)
    return document
