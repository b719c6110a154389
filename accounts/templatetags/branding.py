"""Template filters that insert only a company's branding into a mail or page."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

from django import template
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

BLANK = re.compile(r"\n(?:[ \t]*\n)+")
"""Blank lines between two paragraphs."""
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
NAMES = {"x": "X", "linkedin": "LinkedIn", "youtube": "YouTube", "tiktok": "TikTok", "whatsapp": "WhatsApp"}
"""Networks with an unusual spelling."""


@register.filter
def hex_color(value: Any, default: str) -> str:
    """Return the value if it is a colour such as #1d4ed8, otherwise the default."""
    return value if isinstance(value, str) and COLOR.fullmatch(value) else default


@register.filter
def css_image(value: Any) -> SafeString | str:
    """Return the value as url("…") of a style sheet, or "" unless it is an https address."""
    if not isinstance(value, str) or not is_web_address(value, ("https",)):
        return ""
    # quote() encodes everything that could end the quotes, the rule or the style element.
    return mark_safe(f'url("{quote(value, safe=":/?#[]@!$&*+,;=%~")}")')  # noqa: S308


@register.filter
def paragraphs(text: SafeString) -> SafeString | str:
    """Return rendered text as HTML: a paragraph for each block, and nothing for empty text."""
    blocks = BLANK.sub("\n\n", text.strip())
    return mark_safe(linebreaks(blocks)) if blocks else ""  # noqa: S308  # the template has escaped its values


@register.filter
def web_links(links: Any) -> list[tuple[str, str]]:
    """Return the (network's name, address) pairs of a brand's links to the web."""
    if not isinstance(links, dict):
        return []
    return [(NAMES.get(name, name.capitalize()), address) for name, address in links.items() if is_web_address(address)]


def is_web_address(value: Any, schemes: tuple[str, ...] = ("http", "https")) -> bool:
    """Return whether the value is an absolute address with one of the schemes."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
    except ValueError:
        return False
    return parts is not None and parts.scheme in schemes and bool(parts.netloc)
