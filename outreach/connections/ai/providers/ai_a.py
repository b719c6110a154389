"""ai-a: models with Gemini's wire format (generateContent)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from core.types import Values
from outreach.connections.ai.connected_app import model_app
from outreach.connections.ai.providers.model import ModelProvider, Reply, Request, Turn

_REFUSED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"})


class AiA(ModelProvider):
    """Calls generateContent. The key goes in a header, never in the address, which proxies and servers log."""

    key: ClassVar[str] = "ai-a"
    name: ClassVar[str] = "Google Gemini"
    default_url: ClassVar[str] = "https://generativelanguage.googleapis.com"
    default_model: ClassVar[str] = "gemini-2.5-flash-lite"
    invalid: ClassVar[str] = "InvalidAiAConfiguration_400"

    def request(self, rules: str, turns: Sequence[Turn], schema: Values) -> Request:
        return Request(
            path=f"/v1beta/models/{quote(self.model, safe='')}:generateContent",
            headers={"x-goog-api-key": self.key_of_app()},
            body={
                "systemInstruction": {"parts": [{"text": rules}]},
                "contents": [{"role": turn.role, "parts": [{"text": turn.text}]} for turn in turns],
                "generationConfig": {
                    "temperature": self.setting("temperature"),
                    "topP": self.setting("topP"),
                    "topK": self.setting("topK"),
                    "maxOutputTokens": self.most_tokens,
                    "responseMimeType": "application/json",
                    "responseSchema": open_schema(schema),
                },
            },
        )

    def read(self, payload: Values) -> Reply:
        usage = payload.get("usageMetadata") or {}
        thought = usage.get("thoughtsTokenCount")
        out = usage.get("candidatesTokenCount")
        if isinstance(out, int) and isinstance(thought, int):
            out += thought
        tokens = {"tokens_in": usage.get("promptTokenCount"), "tokens_out": out}
        candidates = payload.get("candidates") or []
        if not candidates and (payload.get("promptFeedback") or {}).get("blockReason"):
            return Reply("", "refused", **tokens)
        candidate = candidates[0]
        reason = candidate.get("finishReason", "STOP")
        parts = (candidate.get("content") or {}).get("parts") or []
        text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
        ended: Literal["", "cut", "refused"] = "cut" if reason == "MAX_TOKENS" else ""
        return Reply(text, "refused" if reason in _REFUSED else ended, **tokens)


def open_schema(schema: Any) -> Any:
    """Return the schema as the format takes it: without additionalProperties."""
    if isinstance(schema, dict):
        return {name: open_schema(value) for name, value in schema.items() if name != "additionalProperties"}
    return [open_schema(subschema) for subschema in schema] if isinstance(schema, list) else schema


AI_A = model_app("ai-a", AiA)
