"""The colours of a form's public page."""

from __future__ import annotations

import re

from outreach.site.forms.models import COLOUR

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
WHITE, BLACK = 1.0, 0.0


def style(colour: str) -> str:
    """Return the style sheet of a form in this colour, or in the product's own for an invalid colour."""
    if not _COLOUR.fullmatch(colour):
        colour = COLOUR
    return (
        f".public-form .button.primary {{ background: {colour}; border-color: {colour}; color: {ink_on(colour)}; }}\n"
        f".public-form {{ border-top: 0.25rem solid {colour}; padding-top: 1rem; }}\n"
        ".public-form .unseen { position: absolute; left: -100vw; }\n"
        ".public-form .form { max-width: none; }\n"
        ".public-form input:not([type=checkbox], [type=radio]), .public-form select, .public-form textarea"
        " { width: 100%; box-sizing: border-box; }\n"
    )


def ink_on(colour: str) -> str:
    """Return black or white, the one with the higher contrast to the colour (WCAG 2.2, relative luminance)."""
    light = _luminance(colour)
    return "#000000" if (light + 0.05) / (BLACK + 0.05) >= (WHITE + 0.05) / (light + 0.05) else "#ffffff"


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
