"""What a template is made into when it is saved: HTML that mail programs show, its words, its links.

Sending only puts values in. Nothing that the template names is fetched, and nothing in it is evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from css_inline import CSSInliner
from mjml import mjml2html

from core.errors import NamedError
from outreach.smtp.markup import MAX_DEPTH, addresses_in, depth_of, sanitise_html, text_from_html

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
    """Compile MJML, HTML or plain text. Raises InvalidEmailTemplate_400, which says what is wrong."""
    if not is_html(body):
        return Compiled("", body, ())
    mjml = is_mjml(body)
    if depth_of(body, strict=mjml) > MAX_DEPTH:
        raise NamedError("InvalidEmailTemplate_400", f"body: has more than {MAX_DEPTH} tags within each other")
    html = sanitise_html(_INLINER.inline(_html_of(body) if mjml else body))
    return Compiled(html, text_from_html(html), tuple(dict.fromkeys(addresses_in(html))))


def is_html(body: str) -> bool:
    """Tell whether a body is HTML or MJML, otherwise it is plain text."""
    return _MARKUP.search(body) is not None


def is_mjml(body: str) -> bool:
    """Tell whether a body is MJML."""
    at = len(body) - len(body.lstrip())
    while body.startswith("<!--", at) and (end := body.find("-->", at)) > 0:
        at = end + 3 + len(body[end + 3 :]) - len(body[end + 3 :].lstrip())
    return _MJML.match(body, at) is not None


def _html_of(body: str) -> str:
    try:
        return mjml2html(body, disable_comments=True)
    except ValueError as error:
        raise NamedError("InvalidEmailTemplate_400", f"body: is no MJML: {error}") from None
