"""The inline markup that people type in blocks: **bold**, *italic*, [words](address) and line breaks.

Everything else is text, escaped. Placeholders stay as they are.
"""

from __future__ import annotations

import html
import re
import unicodedata

_TOKEN = re.compile(
    r"(?P<field>\{\{[^{}]{0,500}\}\})"
    r"|\[(?P<label>[^\[\]\n]{1,500})\]\((?P<address>(?:[^\s(){}]|\{\{[^{}]{0,500}\}\}){1,2000})\)"
    r"|\*\*(?=[^\s*])(?P<bold>[^\n]{1,1000}?)(?<=\S)\*\*"
    r"|\*(?=[^\s*])(?P<italic>[^*\n]{1,1000}?)(?<=\S)\*"
)
# Lengths are bounded: marks that nothing closes would otherwise be looked for to the end, each again.
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_FIELD = re.compile(r"\{\{[^{}]{0,500}\}\}")
_ADDRESS = re.compile(r"(?:https?://[^\s/?#]|mailto:[^\s]|tel:[+\d]|\{\{[^{}]+\}\})", re.IGNORECASE)
_UNFIT = re.compile(r"[\x00-\x20\x7f<>\"]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
MAX_NESTED = 3
RIGHT_TO_LEFT = ("R", "AL")


def is_address(text: str) -> bool:
    """Return whether a link may lead to this: a web, email or phone address, or a placeholder that becomes one."""
    return _ADDRESS.match(text) is not None and _UNFIT.search(_FIELD.sub("", text)) is None


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter of the text belongs to a script that is written from the right."""
    # Digits, blanks and punctuation have no direction of their own.
    for character in _FIELD.sub("", text):
        direction = unicodedata.bidirectional(character)
        if direction in RIGHT_TO_LEFT:
            return True
        if direction == "L":
            return False
    return False


def escaped(text: str) -> str:
    """Return a text for MJML's content and attributes, without the characters that XML has not."""
    # One such character would make the whole MJML unreadable.
    return html.escape(_CONTROL.sub("", text))


def inline_html(text: str, color: str) -> str:
    """Return the HTML of a text on one or more lines. Links have this colour."""
    return "<br />".join(_line(line, color, MAX_NESTED) for line in text.strip("\n").split("\n"))


def paragraphs_html(text: str, color: str) -> str:
    """Return the HTML of paragraphs: an empty line begins a new one."""
    direction = ' dir="rtl"' if is_right_to_left(text) else ""
    parts = [part for part in _PARAGRAPHS.split(text.strip()) if part]
    styles = ["margin:0 0 16px"] * (len(parts) - 1) + ["margin:0"]
    return "".join(
        f'<p style="{style}"{direction}>{inline_html(part, color)}</p>'
        for part, style in zip(parts, styles, strict=True)
    )


def _line(text: str, color: str, depth: int) -> str:
    if not depth:
        return escaped(text)
    pieces: list[str] = []
    at = 0
    for match in _TOKEN.finditer(text):
        pieces += [escaped(text[at : match.start()]), _marked(match, color, depth - 1)]
        at = match.end()
    return "".join([*pieces, escaped(text[at:])])


def _marked(match: re.Match[str], color: str, depth: int) -> str:
    """Return the HTML of a mark. A link to an address of another kind stays as it was typed."""
    if match["bold"] is not None:
        return f"<strong>{_line(match['bold'], color, depth)}</strong>"
    if match["italic"] is not None:
        return f"<em>{_line(match['italic'], color, depth)}</em>"
    # javascript: and the like stay words, as their author sees them in the preview.
    if match["address"] is None or not is_address(match["address"]):
        return escaped(match[0])
    label = _line(match["label"], color, depth)
    return f'<a href="{escaped(match["address"])}" style="color:{color};text-decoration:underline">{label}</a>'
