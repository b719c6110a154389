"""The HTTP request: of a fixed host, guarded as all calls to hosts that tenants name (core.outbound_http)."""

from __future__ import annotations

import base64
import re
import time
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import orjson
from django.utils.translation import gettext
from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.outbound import is_private
from core.outbound_http import HttpAnswer, HttpFailed, send_request
from core.text.json import dumps
from core.text.redaction import Redactor
from core.types import JsonObject
from crm.webhooks.signing import sign_headers
from workflows.expressions.filters import text_value
from workflows.nodes.base import Item, NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.requests import MAX_CALL_BYTES, Call, CallResult, CallToMake, Reason
from workflows.secrets.services import has_secret, secret_for

MAX_BYTES = 1024 * 1024
AGENT = "Leadwright"
"""User agent of calls, unless the node sets one."""
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# An author who could set them would break the framing of the request, or forge our signature and key.
OURS = {
    *(
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "accept-encoding",
    ),
    *("proxy-authorization", "proxy-connection", "keep-alive", "idempotency-key"),
    *("webhook-id", "webhook-timestamp", "webhook-signature"),
}
"""Headers that the service writes itself."""
# The host is part of the published graph: a value of a run, which strangers write, must not choose it.
FIXED = re.compile(r"(https?)://([^/?#\s{}\\@]+)(?=[/?#]|$)", re.IGNORECASE)
"""Scheme and host of an address, in which no expression is allowed."""
REPEATABLE = ("GET", "HEAD", "PUT", "DELETE")
"""Methods that HTTP allows to be repeated."""
UNKNOWN = "unknown"
"""The code of an error that leaves open whether the call was made."""
LATER = (408, 425, 429)
EXPRESSION: JsonObject = {"x-widget": "expression"}


class Auth(NodeConfig):
    secret: str = Field(description="A secret of the company for the host.", json_schema_extra={"x-widget": "secret"})
    how: Literal["bearer", "basic", "header", "signature"] = Field(
        default="bearer", description="basic: the secret is user:password; signature: the body is signed with it."
    )
    header: str = Field(default="", max_length=100, description="The name of the header, of header.")

    @model_validator(mode="after")
    def _check_header(self) -> Auth:
        if self.how == "header" and not _is_header(self.header):
            raise PydanticCustomError(
                "noHeader", "header: needs the name of a header that the service does not write itself"
            )
        return self


class HttpConfig(NodeConfig):
    main = ("method", "url", "headers", "body", "auth")

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    url: str = Field(
        min_length=10,
        max_length=4000,
        description="Its host is fixed; expressions stand behind it.",
        json_schema_extra=EXPRESSION,
    )
    headers: dict[str, str] = Field(default={}, max_length=30, json_schema_extra=EXPRESSION)
    body: Any = Field(
        default=None, description="A text, or an object or list that is sent as JSON.", json_schema_extra=EXPRESSION
    )
    auth: Auth | None = None
    success: list[int] = Field(default=[], max_length=50, description="Statuses that are no failure; none: 200 to 299.")
    timeout: int = Field(default=10, ge=1, le=30, description="Seconds for the whole answer.")
    idempotent: bool | None = Field(
        default=None,
        description="The receiver handles calls with the same Idempotency-Key once, so that a call in doubt is made"
        " again. Empty: so it is with GET, HEAD, PUT and DELETE.",
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        match = FIXED.match(url)
        if match is None:
            raise PydanticCustomError(
                "badUrl", "enter an address that begins with https:// and a host without expressions"
            )
        host_of(url)
        return url

    @field_validator("headers")
    @classmethod
    def _names(cls, headers: dict[str, str]) -> dict[str, str]:
        for name in headers:
            if not _is_header(name):
                raise PydanticCustomError(
                    "badHeader", "enter another header; {name} is set by the service", {"name": repr(name[:60])}
                )
        if len({name.lower() for name in headers}) < len(headers):
            raise PydanticCustomError("headerTwice", "enter each header once")
        return headers

    @field_validator("success")
    @classmethod
    def _statuses(cls, statuses: list[int]) -> list[int]:
        # Redirects could lead to another host, with the secret in the header.
        if any(not 200 <= status <= 599 or 300 <= status < 400 for status in statuses):
            raise PydanticCustomError("badStatus", "enter statuses from 200 to 599")
        return statuses

    @property
    def is_idempotent(self) -> bool:
        return self.method in REPEATABLE if self.idempotent is None else self.idempotent


def _is_header(name: str) -> bool:
    return TOKEN.fullmatch(name) is not None and name.lower() not in OURS


def host_of(url: str) -> str:
    """Return the host of an address. Raises ValueError for one that is no address."""
    parts = urlsplit(url)
    port = parts.port  # raises for what is none
    # Hosts beyond ASCII have two spellings, and secrets are bound to one.
    if not parts.hostname or port == 0 or not parts.hostname.isascii():
        raise PydanticCustomError("badUrl", "enter an address, such as https://api.example.org/path")
    return parts.hostname.lower()


def _clean(value: str) -> str:
    """Return a header's value on one line."""
    # A line break would begin a further header.
    return "".join(character if character.isprintable() else " " for character in value).strip()


def _request(batch: NodeBatch, item: Item) -> JsonObject | Reason:
    """Return the request as it is stored, or why there can be none."""
    config: HttpConfig = batch.config
    url = text_value(batch.render("url", item))
    if url.partition("#")[0] != url or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        url = quote(url.partition("#")[0], safe="%/:?=&@!$'()*+,;~[]-._")
    # Asked again of the whole address: expressions may hold an @ or a backslash.
    if len(url) > 8000 or host_of(url) != host_of(config.url):
        return Reason("the expressions make it none of the host", "url")
    headers = {name: _clean(text_value(value)) for name, value in dict(batch.render("headers", item)).items()}
    if any(not value.isascii() or len(value) > 4000 for value in headers.values()):
        return Reason("a value is too long, or has letters that no header can carry", "headers")
    body = batch.render("body", item)
    if body is not None and not isinstance(body, str):
        headers = {"Content-Type": "application/json", **headers}
        body = dumps(body).decode()
    auth = None if config.auth is None else config.auth.model_dump()
    request = {"method": config.method, "url": url, "headers": headers, "body": body, "auth": auth}
    # Stored in the call's row, and with it in each backup.
    if len(dumps(request)) > MAX_CALL_BYTES:
        return Reason(f"the request has more than {MAX_CALL_BYTES:,} bytes", "body")
    return {**request, "timeout": config.timeout, "success": config.success}


def _http(batch: NodeBatch) -> None:
    for item in batch.items:
        request = _request(batch, item)
        if isinstance(request, Reason):
            item.fail("badValue", request.text, field=request.field)
            continue
        call = Call("http", request, host_of(batch.config.url), batch.config.is_idempotent)
        # Nothing is sent here: a node runs within the slice's transaction.
        item.outcome = Outcome("waiting", waits_for="call", request=call)


def take_answer(batch: NodeBatch) -> None:
    """Take on runs whose call has ended."""
    for item in batch.items:
        answer = item.arrived.payload if item.arrived is not None else None
        if not isinstance(answer, dict):
            item.fail("internal", "the call ended without an answer")
        elif answer["status"] == "done":
            item.outcome = Outcome(handle=answer["handle"], output=answer["output"])
        else:
            unknown = answer["status"] == "unknown"
            code = UNKNOWN if unknown else answer["code"]
            # An answer from before an update has its whole text as its message.
            reason = answer["text"] if "text" in answer else answer["message"]
            field, operation = answer.get("field", ""), answer.get("operation", "")
            item.fail(code, reason, field=field, operation=operation, permanent=answer["permanent"])
            item.outcome.unknown = unknown
            item.outcome.output = answer["output"]


def make(call: CallToMake) -> CallResult:
    """Make a request. What was sent and not answered is unknown, unless it may be repeated."""
    request = call.request
    body = None if request["body"] is None else str(request["body"]).encode()
    # Sent with every method, since servers that know it can also recognize a repeated POST.
    headers = {**request["headers"], "Idempotency-Key": call.key}
    if "user-agent" not in {name.lower() for name in headers}:
        headers["User-Agent"] = AGENT
    redactor = Redactor(())
    if request["auth"] is not None:
        # Read when the call is made, and not stored with it: a changed secret counts at once.
        secret = secret_for(request["auth"]["secret"], host_of(request["url"]))
        if secret is None:
            return CallResult(
                "failed", code="secretMissing", text="there is no such secret for the host", permanent=True
            )
        try:
            headers |= _proof(request["auth"], secret, call.key, body or b"")
        except ValueError:
            text = "the secret is no key of Standard Webhooks: behind whsec_ it has no base64"
            return CallResult("failed", code="secretInvalid", text=text, permanent=True)
        # The password alone could be echoed as well as user and password.
        redactor = Redactor([secret, *secret.split(":", 1)[1:]] if request["auth"]["how"] == "basic" else [secret])
    try:
        answer = send_request(
            request["method"],
            request["url"],
            seconds=request["timeout"],
            headers=headers,
            body=body,
            most_bytes=MAX_BYTES,
        )
    except HttpFailed as error:
        # Of these alone it is certain that nothing was done.
        unsent = error.code in ("refused", "unreachable")
        # An answer that broke off, or came too late, says nothing about what the server has done.
        is_uncertain = not unsent and error.code != "redirected" and not call.keyed
        # A refused address, a redirect and a large answer would come out the same again.
        permanent = error.code in ("refused", "redirected", "large")
        message = f"{error.detail} Nobody knows whether it was done ({error.code})." if is_uncertain else error.detail
        return CallResult("unknown" if is_uncertain else "failed", None, error.code, message, permanent)
    return _read(answer, request, redactor)


def _proof(auth: JsonObject, secret: str, key: str, body: bytes) -> dict[str, str]:
    """Return the headers that prove who calls."""
    if auth["how"] == "bearer":
        return {"Authorization": f"Bearer {secret}"}
    if auth["how"] == "basic":
        return {"Authorization": f"Basic {base64.b64encode(secret.encode()).decode()}"}
    if auth["how"] == "header":
        return {auth["header"]: secret}
    return sign_headers([secret], id=key, seconds=int(time.time()), body=body)


def _read(answer: HttpAnswer, request: Any, redactor: Redactor) -> CallResult:
    """Return the stored part of a response. Echoes of the secret are hidden before it is cut."""
    # Before it is cut: half of a secret at the cut would not be recognized.
    body = redactor.body(answer.body)
    output = {
        "status": answer.status,
        "headers": {
            redactor.text(name.lower())[:100]: redactor.text(_storable_text(value))[:500]
            for name, value in list(answer.headers.items())[:40]
        },
        "body": redactor.value(_body(answer)),
    }
    fits = answer.status in request["success"] if request["success"] else 200 <= answer.status < 300
    if len(dumps(output)) > MAX_CALL_BYTES:
        output = {
            **output,
            "body": _storable_text(body[: MAX_CALL_BYTES // 4].decode(errors="replace")),
            "truncated": True,
        }
    if fits:
        return CallResult("done", output)
    # 408, 425 and 429 ask for another try (RFC 9110, 15.5.9; RFC 8470; RFC 6585).
    permanent = answer.status < 500 and answer.status not in LATER
    text = _storable_text(body[:300].decode(errors="replace"))
    return CallResult("failed", output, "httpStatus", f"the answer has the status {answer.status}: {text}", permanent)


def _body(answer: HttpAnswer) -> Any:
    if "json" in answer.headers.get("Content-Type", "json").lower():
        try:
            return _storable(orjson.loads(answer.body))
        # A server may call anything JSON; as text it is still of use.
        except (orjson.JSONDecodeError, ValueError):
            pass
    return _storable_text(answer.body.decode(errors="replace"))


def _storable_text(value: str) -> str:
    """Return a text without characters that PostgreSQL cannot store."""
    return value.replace("\0", "\ufffd").encode(errors="replace").decode()


def _storable(value: Any, depth: int = 0) -> Any:
    if depth > 50:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return _storable_text(value)
    if isinstance(value, list):
        return [_storable(entry, depth + 1) for entry in value]
    if isinstance(value, dict):
        return {_storable_text(key): _storable(entry, depth + 1) for key, entry in value.items()}
    return value


def _check(config: HttpConfig) -> list[tuple[str, str, str]]:
    problems = []
    host = host_of(config.url)
    if config.auth is not None and not has_secret(config.auth.secret, host):
        problems.append(("secretMissing", "auth.secret", "the company has no such secret for the host of the url"))
    if is_private(host):
        problems.append(("privateUrl", "url", "leads to an address inside this network, which is not called"))
    return problems


HTTP = NodeType(
    "http",
    "outside",
    "HTTP request",
    "Calls an address and keeps its answer.",
    HttpConfig,
    _http,
    resume=take_answer,
    call=make,
    icon="http",
    templates=("url", "headers", "body"),
    escapes={"url": lambda value: quote(text_value(value), safe="")},
    check=_check,
    outputs={"status": "number", "headers": "object", "body": "any"},
    effect=lambda settings: gettext("Calls %(method)s %(url)s.") % settings,
)
