"""The banner of the subscription's state, for those who can mend it."""

from __future__ import annotations

from billing.subscriptions.words import words_of
from core.web.banners import Banner
from core.web.pages import Page

GOOD = frozenset({"trial", "cancelling", "paused"})
"""Kinds of which nothing is wrong yet."""
LABELS = {"trial": "Choose a plan", "none": "Choose a plan", "ended": "Choose a plan", "paused": "See the plan"}


def state_banner(page: Page) -> Banner | None:
    """Return what whoever may buy should know on every page but those of the plan, which say it themselves."""
    member = page.reader.member
    if member is None or not member.may("plan", "POST") or page.module == "plan":
        return None
    words = words_of(member.company_id)
    if words is None:
        return None
    link = f"/c/{member.company_id}/{words.link}" if words.link else ""
    return Banner(words.sentence, words.kind not in GOOD, link, LABELS.get(words.kind, "See to it"))
