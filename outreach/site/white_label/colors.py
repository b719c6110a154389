"""Colours that people can read: contrast by WCAG 2, on the backgrounds of pages by light and by dark."""

from __future__ import annotations

import re

COLOR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
LEAST = 4.5
"""WCAG AA for text."""
LIGHT = ("#ffffff", "#f7f8fa", "#eef3ff")
"""Backgrounds of pages by light: page, side bar, selected item. Text on a button is white."""
DARK = ("#101216", "#181b21", "#17233d")
"""The same by dark."""
STEPS = 40


def contrast(color: str, other: str) -> float:
    """Return the contrast of two colours such as #2f5bea, from 1 to 21."""
    bright, dark = sorted((_luminance(color), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def worst(color: str, backgrounds: tuple[str, ...]) -> tuple[float, str]:
    """Return the least contrast of a colour with the backgrounds, and the one that it has it with."""
    return min((contrast(color, background), background) for background in backgrounds)


def lighten_color(color: str) -> str:
    """Return the colour, made as light as it takes to be read by dark."""
    parts = _parts(color)
    for step in range(STEPS + 1):
        share = step / STEPS
        candidate = "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)
        if worst(candidate, DARK)[0] >= LEAST:
            return candidate
    return "#ffffff"


def _parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _luminance(color: str) -> float:
    channels = [part / 255 for part in _parts(color)]
    red, green, blue = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
