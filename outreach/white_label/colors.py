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


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours such as #2f5bea, from 1 to 21."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def worst(color: str, backgrounds: tuple[str, ...]) -> tuple[float, str]:
    """Return the least contrast of a colour with the backgrounds, and the one that it has it with."""
    return min((contrast(color, one), one) for one in backgrounds)


def lightened(color: str) -> str:
    """Return the colour, made as light as it takes to be read by dark."""
    parts = _parts(color)
    for step in range(STEPS + 1):
        share = step / STEPS
        found = "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)
        if worst(found, DARK)[0] >= LEAST:
            return found
    return "#ffffff"


def _parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _luminance(color: str) -> float:
    channels = [part / 255 for part in _parts(color)]
    red, green, blue = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
