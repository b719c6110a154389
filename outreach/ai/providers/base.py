"""The interface of AI providers: the brief that a provider gets, the draft that it returns, and its errors."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactBrief:
    """What the company knows of the recipient. Every value is foreign text and may be hostile."""

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
class ComposeBrief:
    """What to write to one recipient.

    Without a prompt the provider plans it from the company's profile and catalogue.
    """

    contact: ContactBrief
    company: CompanyBrief
    prompt: str = ""
    tone: str = ""
    channel: str = "email"
    language: str | None = None
    step: int = 1  # of a sequence; from 2 on it is a follow-up
    occurrence: int = 1  # of a recurring run
    seed: str = ""  # the message's id: the same brief and seed may give the same draft again


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A composed message: subject on one line (empty on channels without subjects), plain text, and optional HTML."""

    subject: str
    text: str
    html: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSearch:
    """A description of the contacts that a search is for."""

    prompt: str
    industry: str = ""
    company: CompanyBrief


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a contact fits a search: `score` from 0 (not at all) to 1, and a short reason for people."""

    score: float
    reason: str = ""


class ProviderError(Exception):
    """No draft could be made.

    `temporary` says whether another try may help; `code` is stable, `detail` is for people.
    """

    def __init__(self, code: str, detail: str, *, temporary: bool) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.temporary = temporary


class AiProvider(abc.ABC):
    """Composes messages. A provider keeps no state between calls, and raises nothing but ProviderError."""

    key: ClassVar[str]
    name: ClassVar[str]  # shown to people
    calls_a_model: ClassVar[bool]

    @abc.abstractmethod
    def compose(self, brief: ComposeBrief) -> Draft:
        """Compose one message to one recipient."""

    def compose_many(self, briefs: list[ComposeBrief]) -> list[Draft | ProviderError]:
        """Compose a batch, in its order. A failure affects only its own brief. Override it where a batch is cheaper."""
        drafts: list[Draft | ProviderError] = []
        for brief in briefs:
            try:
                drafts.append(self.compose(brief))
            except ProviderError as error:
                drafts.append(error)
        return drafts

    def judge_many(self, search: LeadSearch, contacts: list[ContactBrief], fits: list[Fit]) -> list[Fit]:
        """Judge how well contacts fit (at most 250, found by keywords).

        `fits` is the result of the keywords, which a provider without a better judgement returns.
        """
        return fits
