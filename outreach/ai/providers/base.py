"""The port through which messages get written: what a provider is told, what it gives back, and how it fails."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactBrief:
    """The recipient, as far as the company knows; every value is foreign text and may be hostile."""

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
    """What to write to one recipient: without a prompt it is planned from the company's profile and catalogue."""

    contact: ContactBrief
    company: CompanyBrief
    prompt: str = ""
    tone: str = ""
    channel: str = "email"
    language: str | None = None
    step: int = 1  # of the cadence; from 2 on it follows up
    occurrence: int = 1  # of a recurring run
    seed: str = ""  # the message's id: the same brief and seed may give the same draft again


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A written message: subject on one line (empty on channels without one), plain text, and HTML if the provider made its own."""

    subject: str
    text: str
    html: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSearch:
    """Who is looked for among the company's contacts."""

    prompt: str
    industry: str = ""
    company: CompanyBrief


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a contact fits a search: `score` from 0 (not at all) to 1, and why, in a few words for people."""

    score: float
    reason: str = ""


class ProviderError(Exception):
    """A draft that could not be had; `temporary` says whether asking again may help, `code` is stable, the text is for people."""

    def __init__(self, code: str, detail: str, *, temporary: bool) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.temporary = temporary


class AiProvider(abc.ABC):
    """Something that writes messages. It keeps no state between calls, and raises nothing but ProviderError."""

    key: ClassVar[str]
    name: ClassVar[str]  # shown to people
    calls_a_model: ClassVar[bool]

    @abc.abstractmethod
    def compose(self, brief: ComposeBrief) -> Draft:
        """Write one message to one recipient."""

    def compose_many(self, briefs: list[ComposeBrief]) -> list[Draft | ProviderError]:
        """Write a batch, each in its place; a failure costs nobody else their draft. Override it where a batch is cheaper."""
        drafts: list[Draft | ProviderError] = []
        for brief in briefs:
            try:
                drafts.append(self.compose(brief))
            except ProviderError as error:
                drafts.append(error)
        return drafts

    def judge_many(self, search: LeadSearch, contacts: list[ContactBrief], fits: list[Fit]) -> list[Fit]:
        """Look again at contacts that were found by their words (at most 250), and say how well each fits.

        `fits` is what the words gave, which stands unless a provider knows better.
        """
        return fits
