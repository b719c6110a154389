"""HTML of mails: the elements that mail programs show, conversion to text, and conversion from text."""

from __future__ import annotations

import html
import re
from functools import lru_cache

import nh3

from outreach.connections.smtp.picture_head import PICTURE_HEAD

MAX_DEPTH = 100
"""Tags within tags. Parsers of MJML and CSS recurse, and end the process at some thousands; nh3 takes seconds."""
_BODY_STYLE = "font-family:-apple-system,Segoe UI,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5"
CONTROL_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_URL = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
_AT_ENDS = "".join(map(chr, range(0x21)))
_BREAKS = re.compile(r"[\t\r\n]")
_HIDDEN = re.compile(r"(?:^|;)\s*display\s*:\s*none\b", re.IGNORECASE)
_HIDDEN_TEXT = "display:block;margin:0;max-height:0;overflow:hidden;mso-hide:all"
"""Hides the preview text of a mail. Filters take display:none, and tiny or pale letters, for signs of spam."""
_TEXTS = frozenset(("div", "p", "span"))
_BACKGROUND_COLOR = re.compile(
    r"(?:^|(?<=;))\s*background\s*:\s*(?=(?:#[0-9a-f]+|rgba?\([^()]*\)|(?!none)[a-z]+)\s*(?:[;!]|$))", re.IGNORECASE
)
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)[^<>]*>?")
_HREF = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
_COLUMN = re.compile(r"mj-column-(per|px)-(\d{1,4})(?:-(\d{1,4}))?\d*")
"""The class of an MJML column: per-33-333333 is a third of the width, px-200 is 200 pixels."""
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_CLOSED_BY_THE_NEXT = frozenset(("dd", "dt", "li", "option", "p", "tbody", "td", "tfoot", "th", "thead", "tr"))

_TAGS = {
    "a", "b", "blockquote", "br", "center", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i",
    "img", "li", "ol", "p",
    "pre", "s", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u",
    "ul",
}  # fmt: skip
_LAYOUT = {
    "align",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "dir",
    "height",
    "lang",
    "style",
    "valign",
    "width",
}
_ATTRIBUTES = {
    "*": _LAYOUT,
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_STYLES = {
    "background-color", "border", "border-bottom", "border-collapse", "border-color", "border-left",
    "border-radius", "border-right",
    "border-spacing", "border-style", "border-top", "border-width", "color", "direction", "display", "font",
    "font-family", "font-size",
    "font-style", "font-weight", "height", "letter-spacing", "line-height", "list-style-type", "margin",
    "margin-bottom", "margin-left",
    "margin-right", "margin-top", "max-height", "max-width", "min-width", "mso-hide", "overflow", "padding",
    "padding-bottom", "padding-left", "padding-right", "padding-top",
    "text-align", "text-decoration", "text-transform", "vertical-align", "white-space", "width", "word-break",
}  # fmt: skip


_LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_BLOCK = re.compile(r"<(?:br|/(?:p|div|li|tr|h[1-6]|blockquote|pre))\b[^>]*>")
_CELL = re.compile(r"</t[dh]>")


def sanitise_html(value: str) -> str:
    """Remove scripts, forms, frames, remote styles and links of unknown schemes from the HTML."""
    columns = frozenset(match.group() for match in _COLUMN.finditer(value))
    return _cleaner(columns).clean(CONTROL_IN_TEXT.sub("", value))


@lru_cache(maxsize=100)
def _cleaner(columns: frozenset[str]) -> nh3.Cleaner:
    """Return a cleaner for HTML that may have these classes. Building one takes as long as cleaning a message."""
    return nh3.Cleaner(
        tags=_TAGS,
        allowed_classes={"div": set(columns)} if columns else None,
        clean_content_tags={"script", "style", "title", "template", "noscript"},
        attributes=_ATTRIBUTES,
        filter_style_properties=_STYLES,
        url_schemes={"http", "https", "mailto", "tel"},
        attribute_filter=_attribute,
        strip_comments=True,
        link_rel=None,
    )


def _attribute(tag: str, name: str, value: str) -> str:
    """Return the value of an attribute: an address as browsers read it, a style as mails have it."""
    if name == "style":
        return _style(tag, value)
    return trimmed_url(value) if name in ("href", "src") else value


def _style(tag: str, value: str) -> str:
    """Return a style that keeps the colour of a background, and of a hidden element only that it is hidden."""
    if not _HIDDEN.search(value):
        return _BACKGROUND_COLOR.sub("background-color:", value)
    return _HIDDEN_TEXT if tag in _TEXTS else "display:none"


def trimmed_url(url: str) -> str:
    """Return an address without blanks and control characters at its ends and without line breaks (WHATWG URL)."""
    return _BREAKS.sub("", url.strip(_AT_ENDS))


def text_from_html(value: str) -> str:
    """Return the text of sanitised HTML: one line for each block, and the address of a link after its text."""
    linked = _LINK.sub(lambda match: match[2] if match[1] in match[2] else f"{match[2]} ({match[1]})", value)
    bare = html.unescape(nh3.clean(_CELL.sub(" ", _BLOCK.sub("\n", linked)), tags=set()))
    lines = (" ".join(line.split()) for line in bare.split("\n"))
    return "\n".join(line for line in lines if line)


def html_from_text(text: str) -> str:
    """Make HTML from plain text: paragraphs, line breaks and links; everything else is escaped."""
    paragraphs = [part.strip("\n") for part in re.split(r"\n[ \t]*\n+", text.strip("\n"))]
    return "\n".join(f'<p style="margin:0 0 1em" dir="auto">{_link_urls(part)}</p>' for part in paragraphs)


def _link_urls(text: str) -> str:
    pieces: list[str] = []
    at = 0
    for match in _URL.finditer(text):
        url = html.escape(match.group())
        pieces += [html.escape(text[at : match.start()]), f'<a href="{url}">{url}</a>']
        at = match.end()
    pieces.append(html.escape(text[at:]))
    return "".join(pieces).replace("\n", "<br>\n")


def addresses_in(value: str) -> list[str]:
    """Return the addresses that sanitised HTML links to."""
    return [html.unescape(address) for address in _HREF.findall(value)]


def depth_of(value: str, *, strict: bool = False) -> int:
    """Return the maximum depth of nested tags.

    Tags that HTML closes implicitly are not counted. In MJML (`strict`) they are counted unless they close themselves.
    """
    depth = deepest = 0
    ignored = _EMPTY if strict else _EMPTY | _CLOSED_BY_THE_NEXT
    for match in _TAG.finditer(value):
        name = match[2].lower()
        if name in ignored or (strict and name.startswith("mj-") and match[0].endswith("/>")):
            continue
        depth = max(depth - 1, 0) if match[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def page_of(value: str, title: str) -> str:
    """Return the whole page of a mail, as it is sent, for sanitised HTML; its title is the subject."""
    styles = f"{PICTURE_HEAD if '<img' in value else ''}{_column_styles(value)}"
    return (
        f'<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width">{styles}</head>\n'
        f'<body style="{_BODY_STYLE}">\n{value}\n</body>\n</html>\n'
    )


def _column_styles(value: str) -> str:
    """Return the style element that sets columns next to each other on wide screens; empty without columns.

    On narrow screens they are below each other.
    """
    columns = sorted({match.group(): match for match in _COLUMN.finditer(value)}.items())
    if not columns:
        return ""
    widths = [
        (name, f"{match[2]}.{match[3] or 0}%" if match[1] == "per" else f"{match[2]}px") for name, match in columns
    ]
    rules = "".join(f".{name}{{width:{width}!important;max-width:{width}}}" for name, width in widths)
    return f"<style>@media only screen and (min-width:480px){{{rules}}}</style>"
