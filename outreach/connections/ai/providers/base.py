"""The interface of AI providers: the brief that a provider gets, the draft that it returns, and its errors."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

from core.types import JsonObject

if TYPE_CHECKING:
    from outreach.connections.ai.models import AiApp

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactBrief:
    """The company's data about the recipient. Every value is foreign text and may be hostile."""

    name: str = ""
    email: str = ""
    fields: Mapping[str, str] = field(default_factory=lambda: _NOTHING)  # label to value
    tags: tuple[str, ...] = ()
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductBrief:
    """A product or service from the company's catalogue."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyBrief:
    """The company that writes."""

    name: str
    description: str = ""
    website: str = ""
    products: tuple[ProductBrief, ...] = ()
    sender_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """A message of a thread that the recipient has been sent."""

    subject: str
    text: str
    days_ago: int | None = None  # whole days since it was sent


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeBrief:
    """Instructions for the message to one recipient.

    Without a prompt the provider plans it from the company's profile and catalogue.
    """

    contact: ContactBrief
    company: CompanyBrief
    prompt: str = ""
    goal: str = ""  # what the whole outreach is for, where the prompt is about the message alone
    may_ask: bool = True  # whether the message may put a question to the recipient
    tone: str = ""
    channel: str = "email"
    language: str | None = None
    step: int = 1  # of a sequence; from 2 on it is a follow-up
    occurrence: int = 1  # of a recurring run
    hint: str = ""  # what a person wants of this one message, which is written anew
    before: tuple[str, str] | None = None  # subject and text that it is to replace
    subject: str = ""  # given, so that the provider's own is not taken
    thread: tuple[SentMessage, ...] = ()  # the messages before a follow-up, the oldest first
    seed: str = ""  # the message's id: the same brief and seed may give the same draft again


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An exact quote of a statement in a draft, and the fact that proves it.

    `source` is a name of outreach.connections.ai.evidence.facts_of, such as contact.name, contact.<label>,
    company.description or
    catalogue.<number from 1>. Others are thread.<number from 1> and prompt. It is empty if the provider has no fact.
    """

    text: str
    source: str = ""
    part: Literal["text", "subject"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A composed message: subject on one line (empty on channels without subjects), plain text, and optional HTML.

    `claims` are in the order of the words.
    """

    subject: str
    text: str
    html: str | None = None
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSearch:
    """A description of the contacts that a search is for."""

    prompt: str
    industry: str = ""
    company: CompanyBrief


@dataclass(frozen=True, slots=True)
class Fit:
    """The fit of a contact to a search: `score` from 0 (not at all) to 1, and a short reason for people."""

    score: float
    reason: str = ""


class ProviderError(Exception):
    """Raised if no draft could be created.

    `temporary` is whether a retry may help, after `retry_after` seconds if that is known. `code` is stable, `detail` is
    for people, `name` is the contract's name of the error. With `halts` the app can process no other briefs either, for
    example without a budget.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        temporary: bool,
        name: str = "AIResponseParsingFailed_500",
        retry_after: int | None = None,
        halts: bool = False,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.temporary = temporary
        self.name = name
        self.retry_after = retry_after
        self.halts = halts


@dataclass(slots=True)
class Used:
    """The tokens that a call has used; None before its response. `id` is its entry in a ledger, `text` the model's
    response."""

    id: str = ""
    text: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class Meter:
    """Bounds and counts the calls of a model. This one does neither."""

    @contextmanager
    def call(self, tokens_in: int, tokens_out: int) -> Iterator[Used]:
        """Open a block for one call that may use so many tokens, and record the usage that the provider reports.

        Raises ProviderError when a cap would be exceeded.
        """
        yield Used()

    def failed(self, used: Used, detail: str) -> None:
        """Record why the response to a call could not be used."""

    def remember(self, quirks: JsonObject) -> None:
        """Store the parameters that the app's server does not support, for later calls."""


class AiProvider(abc.ABC):
    """Composes messages for one app of a company: with its key, model and settings.

    It lives for a batch or a run, and raises nothing but ProviderError.
    """

    key: ClassVar[str]
    name: ClassVar[str]  # shown to people
    calls_a_model: ClassVar[bool]

    def __init__(self, app: AiApp, meter: Meter | None = None) -> None:
        self.app = app
        self.meter = meter or Meter()
        self.halted: ProviderError | None = None
        """The error that keeps the app from composing anything more."""
        self.unjudged = 0
        self.first_error = ""
        """The number of contacts that could not be judged, and the reason of the first."""

    @property
    def batch(self) -> int:
        """Return the number of briefs composed before they are stored: few if each costs time and money."""
        return 500 if self.halted or not self.calls_a_model else 1

    @abc.abstractmethod
    def compose(self, brief: ComposeBrief) -> Draft:
        """Compose one message to one recipient."""

    def compose_many(self, briefs: list[ComposeBrief]) -> list[Draft | ProviderError]:
        """Compose a batch, in its order. A failure affects only its own brief, unless it halts the app.

        Override it where a batch is cheaper.
        """
        drafts: list[Draft | ProviderError] = []
        for brief in briefs:
            if self.halted is not None:
                drafts.append(self.halted)
                continue
            try:
                drafts.append(self.compose(brief))
            except ProviderError as error:
                self.halted = error if error.halts else None
                drafts.append(error)
        return drafts

    def hint_warning(self, hint: str) -> str:
        """Return a message about the parts of a hint that the provider cannot follow; "" if it follows all of it."""
        return ""

    def judge_many(self, search: LeadSearch, contacts: list[ContactBrief], fits: list[Fit]) -> list[Fit]:
        """Judge how well contacts fit (at most 250, found by keywords).

        `fits` is the result of the keywords, which a provider without a better judgement returns.
        """
        return fits

    def judging(self, search: LeadSearch, contacts: list[ContactBrief]) -> tuple[int, int]:
        """Estimate the tokens for judging the contacts: of the request, and of the response."""
        return 0, 0

    def estimate(self, brief: ComposeBrief) -> tuple[int, int]:
        """Estimate the tokens for composing: of the request, and of the response."""
        return 0, 0

    def reservation(self, brief: ComposeBrief) -> tuple[int, int]:
        """Return the most tokens that the first call for the brief may take, as it reserves them: sent, and back."""
        return 0, 0
