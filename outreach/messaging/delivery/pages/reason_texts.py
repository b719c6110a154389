"""The details of the reasons of messages, with their sentences."""

from __future__ import annotations

from typing import Any

from core.types import Values
from core.web.ask import Answer
from core.web.pages import Page


class ReasonedPage(Page):
    """A page that shows the detail of a step with the sentence of its reason."""

    def ask(self, method: str, path: str, query: Values | None = None, body: Any = None) -> Answer:
        answer = super().ask(method, path, query, body)
        self.detail(answer.data)
        return answer

    def detail(self, data: Any) -> None:
        """Add details to sentences, at any depth. Those of decisions, which have a state, come with them."""
        if isinstance(data, list):
            for item in data:
                self.detail(item)
        if not isinstance(data, dict):
            return
        if data.get("reason") and data.get("sentence") and data.get("detail") and "state" not in data:
            data["sentence"] = f"{data['sentence']} {data['detail']}"
        for value in data.values():
            if isinstance(value, dict | list):
                self.detail(value)
