"""Shared parts of the pages of AI apps."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.web.navigation import places
from core.web.pages import Page

CAP_HELP = gettext_lazy("Leave empty for no limit.")


class AiPage(Page):
    """Shared parts of the pages of AI apps."""

    module = "apps"
    menu = places.MenuItem(
        "AI",
        places.SETTINGS,
        10,
        "sparkles",
        gettext_lazy("Connections"),
        gettext_lazy("artificial intelligence writer models openai chatgpt gpt gemini claude tokens costs"),
    )
