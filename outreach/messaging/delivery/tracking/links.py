"""The tracked links of a message: their places, and its HTML with them.

A link keeps its place as long as the message keeps its content, so that nothing is stored for it. Places count repeats
and links that are not tracked, since values of a recipient can make two addresses equal, or make one that is tracked.
Links in the text part stay as they are, because people read them there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import count
from urllib.parse import urlsplit

import idna

from outreach.connections.smtp.markup import CONTROL_IN_TEXT, addresses_in, html_from_text
from outreach.messaging.delivery.tracking.tokens import CLICK_AT, MAX_LINKS, OPEN, Tracked, make_token

_LINK = re.compile(r'(<a\b)(?:([^>]*?\bhref=")([^"]*)(?="))?')
# Anyone who unsubscribes should not count as interested by the same click.
_OWN = "/api/public/unsubscribe/"


def sent_html(text: str, rich: str) -> str:
    """Return the HTML of a message: its own, or one created from its text."""
    if rich.strip():
        return rich
    return html_from_text(CONTROL_IN_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).rstrip() + "\n")


def links_of(rich: str) -> list[str]:
    """Return the addresses of the HTML that clicks are tracked of, each once, in their order."""
    return [url for url in dict.fromkeys(addresses_in(rich)) if is_tracked(url)][:MAX_LINKS]


def places_of(rich: str) -> list[str]:
    """Return the address of each link of the HTML, with repeats, in order; empty for a link without one."""
    return [html.unescape(match[3] or "") for match in _LINK.finditer(rich)]


def is_tracked(url: str) -> bool:
    """Return whether clicks on an address are tracked: one on the web that a browser can be led to, and that
    unsubscribes nobody."""
    try:
        # Python refuses some addresses that browsers open, such as a broken IPv6 host; they stay untracked.
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and _OWN not in parts.path
    except ValueError:
        return False


def with_tracking(rich: str, message_id: str, base: str, *, opens: bool, clicks: bool) -> str:
    """Return the HTML with tracked links, and with the picture that reports an open."""
    if clicks:
        rich = _with_clicks(rich, message_id, base)
    if opens:
        token = make_token(Tracked(OPEN, message_id))
        # At the end, where a mail program that cuts long mails leaves it out first. That loses an open, not a
        # word.
        rich += f'\n<img src="{base}/o/{token}.gif" width="1" height="1" alt="">'
    return rich


def _with_clicks(rich: str, message_id: str, base: str) -> str:
    """Return the HTML with each tracked address replaced by one that counts the click and leads on."""
    tracked = frozenset(links_of(rich))
    places = count(1)

    def replaced(match: re.Match[str]) -> str:
        place = next(places)
        # Attributes are escaped and the list of links is not.
        if place > MAX_LINKS or html.unescape(match[3] or "") not in tracked:
            return match[0]
        return f"{match[1]}{match[2]}{base}/c/{make_token(Tracked(CLICK_AT, message_id, place))}"

    return _LINK.sub(replaced, rich)


def with_ascii_host(url: str) -> str:
    """Return the address with its host in punycode, where that can be written; the rest stays as it is."""
    if url.isascii():
        return url
    begin, slashes, rest = url.partition("//")
    place = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    before, at, host_port = place.rpartition("@")
    host, colon, port = host_port.partition(":")
    try:
        # Redirects need an ASCII Location; not all browsers take raw letters in a host.
        written = host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")
    except (ValueError, idna.IDNAError):
        return url
    return f"{begin}{slashes}{before}{at}{written}{colon}{port}{rest[len(place) :]}"


def link_at(links: Sequence[str], number: int) -> str | None:
    """Return the address of the link with the number, from 1."""
    return links[number - 1] if 1 <= number <= len(links) else None
