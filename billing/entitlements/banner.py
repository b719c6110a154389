"""The banner about the subscription's state, for members who can act on it, with the most useful action."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext

from billing.subscriptions.words import KNOWN_FOR, words_of
from core.text.translation import gettext_lazy
from core.web.banners import Banner
from core.web.pages import Page

GOOD = frozenset({"trial", "cancelling", "paused"})
"""Kinds of which nothing is wrong yet."""
LABELS = {
    "trial": gettext_lazy("Choose a plan"),
    "none": gettext_lazy("Choose a plan"),
    "ended": gettext_lazy("Choose a plan"),
    "paused": gettext_lazy("Resume"),
    "cancelling": gettext_lazy("Keep subscription"),
    "past_due": gettext_lazy("Pay"),
    "grace": gettext_lazy("Pay"),
}
UNPAID = frozenset({"past_due", "grace"})
ACTIONS = {"cancelling": "go_on"}
"""Kinds of banners whose button performs an action of the plan's page directly."""


def state_banner(page: Page) -> Banner | None:
    """Return the subscription's banner for members who may buy; None on the pages of the plan, which show it
    themselves."""
    member = page.reader.member
    if member is None or not member.may("plan", "POST") or page.module == "plan":
        return None
    state = words_of(member.company_id)
    if state is None:
        return None
    path = state.link or ""
    if state.kind == "paused":
        path = f"{path}/pause"
    order = open_order(page, member.company_id) if state.kind in UNPAID else ""
    if order:
        path = f"{path}/pay/{order}"
    link = f"/c/{member.company_id}/{path}" if state.link else ""
    action = ACTIONS.get(state.kind, "") if member.may("plan", "PUT") else ""
    label = gettext("See the plan") if state.kind in ACTIONS and not action else LABELS.get(state.kind, gettext("Open"))
    return Banner(state.sentence, state.kind not in GOOD, link, label, action)


def open_order(page: Page, company_id: str) -> str:
    """Return the id of the company's open order, or an empty text. It is cached as long as the message."""

    def open_order() -> Any:
        answer = page.ask("GET", "manual-payment", {"p": "1", "n": "1", "filters": {"status": "open"}})
        return answer.data[0]["_id"] if answer.ok and answer.data else ""

    return str(cache.get_or_set(f"billing.order:{company_id}", open_order, KNOWN_FOR))
