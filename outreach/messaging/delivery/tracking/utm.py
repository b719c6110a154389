"""UTM tags on the links of a mail, by which web statistics know the campaign."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from outreach.messaging.delivery.tracking.links import is_tracked

PREFIX = "utm_"
ORDER = ("utm_source", "utm_medium", "utm_campaign", "utm_content")
"""Tags in their order: PostgreSQL keeps the names of JSON in an order of its own."""
_HREF = re.compile(r'(<a\b[^>]*?\bhref=")([^"]*)(?=")')


def tag_links(rich: str, tags: Mapping[str, str]) -> str:
    """Return the HTML with the tags on its links of the web, except for those that unsubscribe."""

    def add_tags(match: re.Match[str]) -> str:
        url = html.unescape(match[2])
        new = tag_url(url, tags)
        return match[0] if new == url else f"{match[1]}{html.escape(new)}"

    return _HREF.sub(add_tags, rich)


def tag_url(url: str, tags: Mapping[str, str]) -> str:
    """Return the URL with the tags behind its query; one that has UTM tags, or is not tracked, stays as it is."""
    if not is_tracked(url):
        return url
    # The parts that exist stay as they are written: another encoding could be another page.
    before, mark, fragment = url.partition("#")
    address, question, query = before.partition("?")
    names = (unquote(pair.partition("=")[0]).strip().lower() for pair in re.split(r"[&;]", query))
    if any(name.startswith(PREFIX) for name in names):
        return url
    added = "&".join(f"{name}={quote(tags[name], safe='')}" for name in ORDER if tags.get(name))
    if not added:
        return url
    glue = "" if not query or query.endswith("&") else "&"
    return f"{address}?{query}{glue}{added}{mark}{fragment}"
