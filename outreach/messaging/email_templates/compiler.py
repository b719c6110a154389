"""Compile a template when it is saved: HTML that mail programs show, its text, its links.

Sending only inserts values. No address in the template is fetched, and no code in it is evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from css_inline import CSSInliner
from mjml import mjml2html

from core.errors import NamedError, shorten
from outreach.connections.smtp.markup import MAX_DEPTH, addresses_in, depth_of, sanitise_html, text_from_html

MAX_CSS = 40_000
MAX_STYLING = 500_000
"""Parts of the styles times elements: inlining takes a second or two for so many, if each rule meets each element."""
_TAGS = frozenset((
    "mjml", "mj-accordion", "mj-accordion-element", "mj-accordion-text", "mj-accordion-title", "mj-all",
    "mj-attributes", "mj-body", "mj-breakpoint", "mj-button", "mj-carousel", "mj-carousel-image", "mj-class",
    "mj-column", "mj-divider", "mj-font", "mj-group", "mj-head", "mj-hero", "mj-html-attribute", "mj-html-attributes",
    "mj-image", "mj-include", "mj-navbar", "mj-navbar-link", "mj-preview", "mj-raw", "mj-section", "mj-selector",
    "mj-social", "mj-social-element", "mj-spacer", "mj-style", "mj-table", "mj-text", "mj-title", "mj-wrapper",
))  # fmt: skip
_CAROUSEL_IMAGES = 10
"""Each image of a carousel has styles for each other one: a thousand of them took a minute and a gigabyte."""
_MJ_TAG = re.compile(r"</?(mj[\w-]*)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STYLES = re.compile(r"<style\b[^>]*(?:>(.*?)(?:</style|\Z)|\Z)", re.DOTALL | re.IGNORECASE)
_INLINER = CSSInliner(load_remote_stylesheets=False)
_MARKUP = re.compile(r"<[a-zA-Z][^<>]*>")
_MJML = re.compile(r"<mjml[\s>]")


@dataclass(frozen=True)
class Compiled:
    """A template as it is sent, but for its values."""

    html: str
    """Sanitised, its styles inlined; empty for plain text."""
    text: str
    links: tuple[str, ...]
    """Addresses that it links to, each once, in their order."""


def compile_body(body: str) -> Compiled:
    """Compile MJML, HTML or plain text. Raises InvalidEmailTemplate_400, which describes the error."""
    if not is_html(body):
        return Compiled("", body, ())
    mjml = is_mjml(body)
    if depth_of(body, strict=mjml) > MAX_DEPTH:
        raise NamedError("InvalidEmailTemplate_400", f"has more than {MAX_DEPTH} tags within each other", field="body")
    page = _html_of(body) if mjml else body
    _check_styles(page)
    html = sanitise_html(_INLINER.inline(page))
    return Compiled(html, text_from_html(html), tuple(dict.fromkeys(addresses_in(html))))


def is_html(body: str) -> bool:
    """Return whether a body is HTML or MJML, otherwise it is plain text."""
    return _MARKUP.search(body) is not None


def is_mjml(body: str) -> bool:
    """Return whether a body is MJML."""
    at = len(body) - len(body.lstrip())
    while body.startswith("<!--", at) and (end := body.find("-->", at)) > 0:
        at = end + 3 + len(body[end + 3 :]) - len(body[end + 3 :].lstrip())
    return _MJML.match(body, at) is not None


def _check_styles(page: str) -> None:
    """Raise InvalidEmailTemplate_400 for styles that would take long to move to their elements."""
    css = "".join(_STYLES.findall(page))
    if len(css) > MAX_CSS:
        raise NamedError("InvalidEmailTemplate_400", f"has more than {MAX_CSS:,} characters of styles", field="body")
    if sum(css.count(mark) for mark in "{,:;") * page.count("<") > MAX_STYLING:
        raise NamedError("InvalidEmailTemplate_400", "has too many rules of style for so many elements", field="body")


def _check_tags(body: str) -> None:
    """Raise InvalidEmailTemplate_400 for an unknown MJML tag, since its content would get lost, and for too many
    carousel images."""
    bare = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), body)
    if bare.lower().count("<mj-carousel-image") > _CAROUSEL_IMAGES:
        raise NamedError(
            "InvalidEmailTemplate_400", f"has more than {_CAROUSEL_IMAGES} images in carousels", field="body"
        )
    wrong = next((match for match in _MJ_TAG.finditer(bare) if match[1].lower() not in _TAGS), None)
    if wrong is None:
        return
    name, line = wrong[1], bare.count("\n", 0, wrong.start()) + 1
    near = get_close_matches(name.lower(), _TAGS, n=1)
    meant = f"; did you mean <{near[0]}>?" if near else ""
    raise NamedError("InvalidEmailTemplate_400", f"line {line}: <{shorten(name)}> is unknown{meant}", field="body")


def _html_of(body: str) -> str:
    _check_tags(body)
    try:
        return mjml2html(body, disable_comments=True)
    except ValueError as error:
        raise NamedError("InvalidEmailTemplate_400", f"check the MJML: {error}", field="body") from None
