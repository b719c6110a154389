"""Distinguish the members of the text family by their structure; the name decides only between csv, tsv and plain
text."""

from __future__ import annotations

import json
import re

from crm.files.mime.types import CSV, HTML, PLAIN, TSV, VCARD

SPACE = re.compile(r"[\s\ufeff]*")
PROLOG = re.compile(r"\s*(?:<\?[^>]{0,2000}?\?>|<!--.{0,20000}?-->)", re.DOTALL)
DOCTYPE = re.compile(r"\s*<!doctype\s+([\w:.-]+)", re.IGNORECASE)
ROOT = re.compile(r"\s*<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]")
HTML_TAGS = frozenset(
    re.findall(
        r"\w+",
        """
        html head body script style title meta link base iframe frameset h1 h2 h3 h4 h5 h6 p div span table tr td th br
        hr a b i u s em strong img ul ol li font center form input button textarea select video audio source canvas
        object embed template section article main nav header footer noscript marquee details math picture pre
        blockquote plaintext xmp listing applet frame basefont bgsound isindex
        """,
    )
)
# In the head of text that claims to be harmless, these would run or load something if a browser read it as HTML.
ACTIVE = re.compile(r"<(?:script|iframe|object|embed|svg|html|body|meta)[\s>/]|<!doctype\s+html", re.IGNORECASE)
SVG_TAG = re.compile(r"<(?:[\w.-]+:)?svg[\s>]", re.IGNORECASE)
MAIL_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):[ \t]?")
MAIL_NAMES = frozenset(
    re.findall(
        r"[\w-]+",
        """
        from to cc bcc subject date received return-path message-id mime-version delivered-to reply-to sender
        content-type dkim-signature in-reply-to references authentication-results arc-seal
        """,
    )
)
MAIL_SIGNS = frozenset({"from", "received", "return-path", "message-id", "delivered-to"})


def text_type(text: str, complete: bool, tail: str, name: str) -> str:
    """Return the type of valid text. `complete` is True if `text` is the whole file; `tail` is the file's last part."""
    body = text[SPACE.match(text).end() :]  # type: ignore[union-attr]
    if body.startswith("<"):
        marked = _markup(body)
        if marked:
            return marked
    upper = body[:40].upper()
    if re.match(r"BEGIN:VCARD\s", upper):
        return VCARD
    if re.match(r"BEGIN:VCALENDAR\s", upper):
        return "text/calendar"
    if body[:1] in ("{", "[") and _is_json(body, complete, tail, name):
        return "application/json"
    if _is_mail(body):
        return "message/rfc822"
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    if extension in ("html", "htm", "xhtml") and ACTIVE.search(text):
        return HTML
    if extension == "csv":
        return CSV
    return TSV if extension in ("tsv", "tab") else PLAIN


def _markup(body: str) -> str | None:
    """Return the type of text that begins with a tag, or None for an unknown tag."""
    place, prolog = 0, body[:5].lower() == "<?xml"
    while match := PROLOG.match(body, place):
        place = match.end()
    doctype = DOCTYPE.match(body, place)
    if doctype:
        kind = doctype.group(1).lower()
        if kind == "html":
            return HTML
        return "image/svg+xml" if kind.endswith("svg") or SVG_TAG.search(body) else "application/xml"
    root = ROOT.match(body, place)
    tag = root.group(1).lower() if root else ""
    if tag == "svg":
        return "image/svg+xml"
    if tag in HTML_TAGS:
        return HTML
    if prolog or (root and "</" in body):
        return "application/xml"
    return HTML if ACTIVE.search(body) else None


def _is_json(body: str, complete: bool, tail: str, name: str) -> bool:
    """Return whether a whole text parses as JSON, or a long one begins and ends like JSON and has its file
    extension."""
    if complete:
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            return False
        return True
    closing = "}" if body[0] == "{" else "]"
    begins = re.match(r'\{\s*"' if body[0] == "{" else r'\[\s*[\[{"\d\-tfn]', body)
    return bool(begins) and tail.rstrip().endswith(closing) and name.lower().endswith(".json")


def _is_mail(body: str) -> bool:
    """Return whether the text begins with the header of a mail: header lines only, known ones among them."""
    seen: set[str] = set()
    for index, line in enumerate(body.splitlines()[:200]):
        if not line.strip():
            break
        if line[0] in " \t" and index:
            continue
        match = MAIL_HEADER.match(line)
        if not match and not (index == 0 and line.startswith("From ")):
            return False
        if match:
            seen.add(match.group(1).lower())
    return len(seen & MAIL_NAMES) >= 2 and bool(seen & MAIL_SIGNS)
