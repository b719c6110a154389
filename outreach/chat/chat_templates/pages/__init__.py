"""The pages of templates of chat messages."""

from __future__ import annotations

from outreach.chat.chat_templates.pages.records import PAGES

__all__ = ["PAGES"]
