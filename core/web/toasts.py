"""The messages that a page shows once, after a form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages

UNDO_SECONDS = 10
"""Seconds in which a timed toast offers to undo (`.toast.timed` in parts.css)."""
TIMED = {"timed": "yes"}
"""Marks the fields of a form that restores the former state only for these seconds."""
HOLD_SECONDS = UNDO_SECONDS + 2
"""Seconds for which the server holds the action: the page with the toast arrives later."""


@dataclass(frozen=True)
class Toast:
    """The result of the last form."""

    text: str
    bad: bool = False
    undo: str = ""
    watch: str = ""
    remedy: str = ""
    """The key of the refusal's remedy (core.web.words.cures)."""
    back: Mapping[str, str] = field(default_factory=dict)
    """The address and the fields of the form that restores the former state."""
    is_timed: bool = False
    """The former state can be restored for ten seconds only, which the toast counts down."""

    @classmethod
    def from_message(cls, message: Any) -> Toast:
        kind, _, rest = (message.extra_tags or "").partition(" ")
        back = json.loads(rest) if kind == "back" else {}
        is_timed = bool(back.pop("timed", ""))
        return cls(
            str(message),
            message.level >= messages.ERROR,
            undo=rest if kind == "undo" else "",
            watch=rest if kind == "watch" else "",
            remedy=rest if kind == "remedy" else "",
            back=back,
            is_timed=is_timed,
        )
