"""ai-b: models with OpenAI's wire format (chat/completions): the vendor's, or those of one's own server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar, Literal

from core.types import JsonObject, Values
from outreach.connections.ai.connected_app import model_app
from outreach.connections.ai.providers.model import ModelProvider, Reply, Request, Turn

_FORMATS = ("json_schema", "json_object", "plain")
"""Formats of structured responses, the best first; if a server refuses one, the next is tried."""
_PARAMETERS = {
    "temperature": "temperature",
    "topP": "top_p",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
}
_ROLES = {"user": "user", "model": "assistant"}


class AiB(ModelProvider):
    """Calls chat/completions, and stores unsupported parameters of its server in the app's `quirks`."""

    key: ClassVar[str] = "ai-b"
    name: ClassVar[str] = "OpenAI, or a server that speaks its format"
    default_url: ClassVar[str] = "https://api.openai.com/v1"
    default_model: ClassVar[str] = "gpt-4.1-mini"
    invalid: ClassVar[str] = "InvalidAiBConfiguration_400"
    keyless: ClassVar[bool] = True

    def request(self, rules: str, turns: Sequence[Turn], schema: Values) -> Request:
        quirks = self.app.quirks
        form, dropped = quirks.get("format", _FORMATS[0]), quirks.get("dropped", [])
        if form == "plain":
            rules = f"{rules}\nThe JSON schema of the answer:\n{json.dumps(schema)}"
        said = [{"role": _ROLES[turn.role], "content": turn.text} for turn in turns]
        body: JsonObject = {"model": self.model, "messages": [{"role": "system", "content": rules}, *said]}
        body |= {sent: self.setting(name) for name, sent in _PARAMETERS.items() if sent not in dropped}
        body[quirks.get("maxTokens", "max_tokens")] = self.most_tokens
        if form == "json_schema":
            described = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif form == "json_object":
            body["response_format"] = {"type": "json_object"}
        key = self.key_of_app()
        return Request("/chat/completions", {"Authorization": f"Bearer {key}"} if key else {}, body)

    def read(self, payload: Values) -> Reply:
        usage = payload.get("usage") or {}
        tokens = {"tokens_in": usage.get("prompt_tokens"), "tokens_out": usage.get("completion_tokens")}
        choice = payload["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        if message.get("refusal") or reason == "content_filter":
            return Reply("", "refused", **tokens)
        ended: Literal["", "cut"] = "cut" if reason == "length" else ""
        return Reply(str(message.get("content") or ""), ended, **tokens)

    def adjust(self, problem: str) -> bool:
        quirks, said = dict(self.app.quirks), problem.lower()
        dropped = quirks.get("dropped", [])
        if "max_tokens" in said and "max_completion_tokens" in said and "maxTokens" not in quirks:
            quirks["maxTokens"] = "max_completion_tokens"
        elif named := [sent for sent in _PARAMETERS.values() if sent in said and sent not in dropped]:
            quirks["dropped"] = [*dropped, *named]
        elif (form := quirks.get("format", _FORMATS[0])) != _FORMATS[-1] and _about_format(said):
            quirks["format"] = _FORMATS[_FORMATS.index(form) + 1]
        else:
            return False
        self.app.quirks = quirks
        self.meter.remember(quirks)
        return True


def _about_format(said: str) -> bool:
    """Return whether a server's error may be about the format of the response. An empty error may be."""
    return not said or any(word in said for word in ("response_format", "json", "schema", "grammar", "format"))


AI_B = model_app("ai-b", AiB)
