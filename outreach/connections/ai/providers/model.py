"""The providers that call a model: one exchange for all wire formats, with its errors, its cost and one repair.

A wire format (`Wire`) defines how a request is written and a response read. No call is made inside a database
transaction.
"""

from __future__ import annotations

import abc
import datetime as dt
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Literal, TypeVar

import orjson
from django.conf import settings

from core.crypto import SecretUnreadable
from core.errors import shorten
from core.outbound_http import HttpAnswer, HttpFailed, send_request
from core.types import Values
from outreach.connections.ai.providers import prompts
from outreach.connections.ai.providers.answers import JUDGEMENTS, MESSAGE, Unreadable, Unusable, read_fits, read_message
from outreach.connections.ai.providers.base import (
    AiProvider,
    ComposeBrief,
    ContactBrief,
    Draft,
    Fit,
    LeadSearch,
    ProviderError,
    Used,
)
from outreach.connections.ai.providers.secrets import holds_key, without_key

MAX_TRIES = 3
ADJUSTMENTS = 6
"""The number of retries after a server has refused a request for its parameters. Each retry leaves some of them out."""
MAX_BATCH_CONTACTS = 25
JUDGING_SECONDS = 240.0
"""Time limit for all judgements of a search, in seconds; a worker's task ends some minutes later."""
TYPICAL_ANSWER = 450
"""Tokens of an average message with its claims."""
TYPICAL_JUDGEMENT = 30
"""Tokens of an average judgement of one contact."""
BUSY = "AIModelBusy_429"
PARSING = "AIResponseParsingFailed_500"
VALIDATION = "AIResponseValidationFailed_500"

WASTED = {
    PARSING: "The response was not complete JSON.",
    VALIDATION: "The response broke a rule: wrong format, unknown source or a placeholder.",
}
"""Reason of an unusable response, for the ledger. It does not quote the response, which may name people."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Turn:
    """A part of the conversation with a model."""

    role: Literal["user", "model"]
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the app's server, without its address."""

    path: str
    headers: Mapping[str, str]
    body: Values


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's response. `ended` is the reason of its end: "" for complete, cut (too long), or refused."""

    text: str
    ended: Literal["", "cut", "refused"] = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class ModelProvider(AiProvider):
    """Composes and judges by a model. Subclasses are the wire formats."""

    calls_a_model: ClassVar[bool] = True
    default_url: ClassVar[str]
    default_model: ClassVar[str]
    invalid: ClassVar[str]
    """The contract's name of the error for a key or a setting that the server refuses."""
    keyless: ClassVar[bool] = False
    """A self-hosted server may work without a key."""

    # What a format says

    @abc.abstractmethod
    def request(self, rules: str, turns: Sequence[Turn], schema: Values) -> Request:
        """Write a request."""

    @abc.abstractmethod
    def read(self, payload: Values) -> Reply:
        """Read an answer of status 2xx. May raise KeyError, IndexError, TypeError or AttributeError."""

    def adjust(self, problem: str) -> bool:
        """Remove the parameters that the server refuses (status 400) from further requests. Returns whether anything
        changed."""
        return False

    # What the service asks for

    def compose(self, brief: ComposeBrief) -> Draft:
        facts = prompts.sent_facts(brief)
        rules, request = prompts.compose_rules(brief), prompts.compose_request(brief, facts)
        return self._request_twice(rules, request, MESSAGE, lambda text: read_message(text, brief, facts))

    def judge_many(self, search: LeadSearch, contacts: list[ContactBrief], fits: list[Fit]) -> list[Fit]:
        """Judge in batches. What the model could not judge keeps the fit of the keywords."""
        judgements, ends = list(fits), time.monotonic() + JUDGING_SECONDS
        for start in range(0, len(contacts), MAX_BATCH_CONTACTS):
            part = slice(start, start + MAX_BATCH_CONTACTS)
            request, before = prompts.judge_request(search, contacts[part]), fits[part]
            try:
                if self.halted is not None:
                    # Further batches would fail the same way and only take time.
                    raise self.halted
                if time.monotonic() > ends:
                    detail = f"There was no time left: judging takes {JUDGING_SECONDS:.0f} seconds at most."
                    raise ProviderError("slow", detail, temporary=True)
                judgements[part] = self._judge(request, before)
            except ProviderError as error:
                self.halted = error if error.halts else None
                self.unjudged += len(before)
                self.first_error = self.first_error or error.detail
        return judgements

    def request_value(self, rules: str, request: str, schema: Values, read: Callable[[str], T]) -> T:
        """Ask for something else than a message: `read` takes the answer, or raises Unreadable or Unusable.

        Raises ProviderError.
        """
        if self.halted is not None:
            raise self.halted
        return self._request_twice(rules, request, schema, read)

    def _judge(self, request: str, before: list[Fit]) -> list[Fit]:
        return self._request_twice(prompts.judge_rules(), request, JUDGEMENTS, lambda text: read_fits(text, before))

    def judging(self, search: LeadSearch, contacts: list[ContactBrief]) -> tuple[int, int]:
        parts = [contacts[at : at + MAX_BATCH_CONTACTS] for at in range(0, len(contacts), MAX_BATCH_CONTACTS)]
        sent = [len((prompts.judge_rules() + prompts.judge_request(search, part)).encode()) // 4 + 1 for part in parts]
        return sum(sent), TYPICAL_JUDGEMENT * len(contacts)

    def estimate(self, brief: ComposeBrief) -> tuple[int, int]:
        sent = prompts.compose_rules(brief) + prompts.compose_request(brief, prompts.sent_facts(brief))
        return len(sent.encode()) // 4 + 1, min(TYPICAL_ANSWER, self.most_tokens)

    def reservation(self, brief: ComposeBrief) -> tuple[int, int]:
        facts = prompts.sent_facts(brief)
        turns = [Turn("user", prompts.compose_request(brief, facts))]
        return self._max_tokens(self.request(prompts.compose_rules(brief), turns, MESSAGE)), self.most_tokens

    # The exchange

    @property
    def base_url(self) -> str:
        """Return the server's address: that of the app, else the operator's, else the vendor's."""
        return (self.app.base_url or settings.VENDOR_BASE_URLS.get(self.key) or self.default_url).rstrip("/")

    @property
    def model(self) -> str:
        return self.app.selected_model or self.default_model

    @property
    def most_tokens(self) -> int:
        """The most tokens of an answer."""
        return int(self.setting("maxOutputTokens"))

    def setting(self, name: str) -> Any:
        """Return a setting of the model, by default the contract's."""
        return self.app.model_settings.get(name, MODEL_SETTINGS[self.key][name].default)

    def key_of_app(self) -> str:
        try:
            return str(self.app.api_key)
        except SecretUnreadable:
            raise self._configuration_error(
                "The stored key was given for another server. Enter the key again."
            ) from None

    def _request_twice(self, rules: str, request: str, schema: Values, read: Callable[[str], T]) -> T:
        """Send the request. If the response is unusable, send it once more with the error."""
        turns = [Turn("user", request)]
        # One time limit for both attempts, as the worker's task has one.
        ends = time.monotonic() + self.app.timeout_seconds
        name = PARSING
        code = "unreadable"
        problem = ""
        for _ in range(2):
            text, used = self._call(rules, turns, schema, ends)
            try:
                return read(text)
            except Unreadable as error:
                name = PARSING
                code = "unreadable"
                problem = str(error)
            except Unusable as error:
                name = VALIDATION
                code = "unusable"
                problem = str(error)
            # The unusable answer was paid for, so it stays in the ledger with its reason.
            self.meter.failed(used, WASTED[name])
            turns = [*turns[:1], Turn("model", text[:20_000]), Turn("user", prompts.repair_request(problem))]
        reason = shorten(without_key(problem, self.key_of_app()), 300)
        detail = f"The model's answer could not be used, twice: {reason}"
        raise ProviderError(code, detail, temporary=False, name=name)

    def _call(self, rules: str, turns: Sequence[Turn], schema: Values, ends: float) -> tuple[str, Used]:
        """Return the model's text, and the usage of the call. The usage is reserved before the call, and settled
        after it."""
        first = self.request(rules, turns, schema)
        sent = len(orjson.dumps(first.body))
        with self.meter.call(self._max_tokens(first), self.most_tokens) as used:
            answer = self._exchange(rules, turns, schema, ends)
            reply = self._read(answer, used, sent)
        if reply.ended == "cut":
            detail = "The answer was cut off; allow the model more output tokens, or choose another model."
            raise self._unusable_error(used, "unreadable", PARSING, detail)
        if reply.ended == "refused" or not reply.text.strip():
            raise self._unusable_error(used, "unusable", VALIDATION, "The model refused to write this message.")
        # An instruction in a contact's data may ask the model's server to repeat what it was sent.
        if holds_key(reply.text, self.key_of_app()):
            detail = "The answer repeats the app's key, so that nothing of it is used."
            raise self._unusable_error(used, "unusable", VALIDATION, detail)
        return reply.text, used

    def _unusable_error(self, used: Used, code: str, name: str, detail: str) -> ProviderError:
        """Return the error of an answer that was paid for and can't be used."""
        self.meter.failed(used, detail)
        return ProviderError(code, detail, temporary=False, name=name)

    def _max_tokens(self, request: Request) -> int:
        """Return the most tokens that the request may be: hardly any text has more than one for two bytes."""
        return len(orjson.dumps(request.body)) // 2 + 1

    def _read(self, answer: HttpAnswer, used: Used, sent: int) -> Reply:
        try:
            payload = orjson.loads(answer.body)
            reply = self.read(payload)
        except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
            detail = f"{self._host} does not answer in this app's format. Is the address right?"
            raise ProviderError("unreadable", detail, temporary=False, name=PARSING) from None
        # If a server reports no numbers, the tokens are estimated from the length of the texts.
        used.tokens_in = count(reply.tokens_in, sent // 4 + 1)
        used.tokens_out = count(reply.tokens_out, len(reply.text.encode()) // 4 + 1)
        used.text = reply.text
        return reply

    def _exchange(self, rules: str, turns: Sequence[Turn], schema: Values, ends: float) -> HttpAnswer:
        """Send the request until the server answers with 2xx. Raises ProviderError if it doesn't."""
        failures = adjustments = 0
        while True:
            left = ends - time.monotonic()
            if left <= 0:
                raise self._slow()
            answer = self._send(self.request(rules, turns, schema), left)
            if answer is not None and 200 <= answer.status < 300:
                return answer
            # A 4xx comes again with the same request; 408 and 5xx may not.
            if answer is not None and answer.status < 500 and answer.status != 408:
                problem = self._problem(answer)
                if answer.status == 400 and adjustments < ADJUSTMENTS and self.adjust(problem):
                    adjustments += 1
                    continue
                raise self._refusal_error(answer, problem)
            failures += 1
            if failures >= MAX_TRIES:
                raise self._unreachable_error(
                    f"answers with an error ({answer.status})" if answer else "could not be reached"
                )
            pause(failures, left)

    def _send(self, request: Request, seconds: float) -> HttpAnswer | None:
        """Send a request. Returns None if the server could not be reached."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", **request.headers}
        address = f"{self.base_url}{request.path}"
        try:
            return send_request("POST", address, seconds=seconds, headers=headers, body=orjson.dumps(request.body))
        except HttpFailed as failed:
            # Nothing was sent, so another try does nothing twice.
            if failed.code == "unreachable":
                return None
            if failed.code == "slow":
                raise self._slow() from None
            if failed.code == "large":
                detail = f"{self._host}: {failed.detail}"
                raise ProviderError("unreadable", detail, temporary=False, name=PARSING) from None
            if failed.code == "broken":
                raise self._unreachable_error("broke the connection off before its answer was whole") from None
            # Refused by the guard, or redirected: only a person can change that.
            raise self._configuration_error(failed.detail) from None

    # Errors

    @property
    def _host(self) -> str:
        return self.base_url.partition("://")[2].partition("/")[0]

    def _slow(self) -> ProviderError:
        detail = f"{self._host} did not answer within {self.app.timeout_seconds} seconds."
        return ProviderError("slow", detail, temporary=True, name=PARSING)

    def _unreachable_error(self, what: str) -> ProviderError:
        return ProviderError("unreachable", f"{self._host} {what}.", temporary=True, name=PARSING, halts=True)

    def _configuration_error(self, detail: str) -> ProviderError:
        return ProviderError("configuration", detail, temporary=True, name=self.invalid, halts=True)

    def _refusal_error(self, answer: HttpAnswer, problem: str) -> ProviderError:
        said = f" It says: {problem}" if problem else ""
        if answer.status == 429:
            detail = f"{self._host} takes no more calls at the moment.{said}"
            seconds = retry_after(answer.headers.get("Retry-After"))
            return ProviderError("busy", detail, temporary=True, name=BUSY, retry_after=seconds, halts=True)
        if answer.status in (401, 403, 404):
            what = "does not know the model or the address" if answer.status == 404 else "refuses the key"
            return self._configuration_error(f"{self._host} {what}.{said}")
        detail = f"{self._host} refuses the request ({answer.status}).{said}"
        return ProviderError("rejected", detail, temporary=True, name=self.invalid)

    def _problem(self, answer: HttpAnswer) -> str:
        """Return the server's error without the key, which some servers repeat."""
        try:
            error = orjson.loads(answer.body)
            error = error[0] if isinstance(error, list) and error else error
            error = error.get("error", error) if isinstance(error, dict) else error
            said = error.get("message", "") if isinstance(error, dict) else error
        except orjson.JSONDecodeError:
            return ""
        text = str(said) if isinstance(said, str) else ""
        return shorten(without_key(text, self.key_of_app()), 300)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a model: its default and its bounds."""

    default: float
    least: float
    most: float
    whole: bool = False


_OUTPUT = Setting(2048, 64, 65_536, whole=True)
MODEL_SETTINGS: dict[str, dict[str, Setting]] = {
    "ai-a": {
        "temperature": Setting(0.9, 0, 2),
        "topP": Setting(1, 0, 1),
        "topK": Setting(1, 1, 1000, whole=True),
        "maxOutputTokens": _OUTPUT,
    },
    "ai-b": {
        "temperature": Setting(0.9, 0, 2),
        "topP": Setting(1, 0, 1),
        "maxOutputTokens": _OUTPUT,
        "frequencyPenalty": Setting(0, -2, 2),
        "presencePenalty": Setting(0, -2, 2),
    },
}
"""Provider -> the settings of its models, with the contract's defaults."""


def count(said: Any, otherwise: int) -> int:
    """Return the server's number of tokens, or the default if it is invalid."""
    return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else otherwise


def retry_after(value: str | None) -> int:
    """Return the seconds of a Retry-After header, which has seconds or a date: from 1 to 3,600, by default 60."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return max(1, min(3600, int(text)))
    try:
        moment = parsedate_to_datetime(text)
        seconds = (moment - dt.datetime.now(moment.tzinfo)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return 60
    return max(1, min(3600, int(seconds)))


def pause(failures: int, left: float) -> None:
    """Wait before another try, for about half a second, then a second, and never past the deadline."""
    time.sleep(min(random.uniform(0.25, 0.75) * 2 ** (failures - 1), max(0.0, left)))  # noqa: S311  jitter, no secret
