"""The stand-in's messenger: one bot with a webhook, as at the real vendor. People answer its messages."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from core.types import JsonObject

BOT = {"id": 4711, "is_bot": True, "username": "roastery_demo_bot", "first_name": "Roastery"}
TOKEN = "4711:demo"  # noqa: S105  of nobody
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the name of a header
ANSWERS_AFTER = 5.0


class Bots:
    """State of the bot: the webhook for people's messages."""

    def __init__(self, later: Callable[..., None]) -> None:
        self._later = later
        self._hook: JsonObject = {}
        self._numbers = itertools.count(int(time.time()))
        self._answered: set[str] = set()

    def answer(self, path: str, body: bytes) -> tuple[int, Any]:
        """Return status and answer of a request of the bot."""
        token, _, method = path.strip("/").removeprefix("bot").partition("/")
        if token != TOKEN:
            return 401, {"ok": False, "error_code": 401, "description": f"The token of the demo is: {TOKEN}"}
        if method == "getMe":
            return 200, {"ok": True, "result": BOT}
        if method == "setWebhook":
            self._hook = json.loads(body)
            return 200, {"ok": True, "result": True}
        if not method.startswith("send"):
            return 400, {"ok": False, "error_code": 400, "description": "Bad Request: there is no such method"}
        chat = str(json.loads(body).get("chat_id", "")) if body.startswith(b"{") else ""
        if chat and chat not in self._answered:
            self._answered.add(chat)
            self._later(ANSWERS_AFTER, self.send_to_bot, chat, "", "Thanks, that helps!")
        return 200, {"ok": True, "result": {"message_id": next(self._numbers)}}

    def send_to_bot(self, chat: str, name: str, text: str) -> None:
        """Send a message from a person to the bot."""
        number = next(self._numbers)
        sender = {"id": int(chat), "is_bot": False, "first_name": name or "Ada"}
        message = {"message_id": number, "from": sender, "date": int(time.time()), "text": text}
        update = {"update_id": number, "message": {**message, "chat": {"id": int(chat), "type": "private"}}}
        hook = urlsplit(str(self._hook.get("url", "")))
        headers = {"Content-Type": "application/json", SECRET_HEADER: str(self._hook.get("secret_token", ""))}
        try:
            caller = HTTPConnection(hook.hostname or "127.0.0.1", hook.port, timeout=10)
            caller.request("POST", hook.path, json.dumps(update).encode(), headers)
            caller.getresponse().read()
            caller.close()
        except (OSError, HTTPException):
            return
