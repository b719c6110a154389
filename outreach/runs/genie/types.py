"""Types of the API's answers about runs of outreach, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class RunData(TypedDict):
    """A run."""

    _id: str
    name: str
    prompt: str
    tone: str
    language: str
    aiType: str
    type: str
    draft: bool
    workflow: str
    outreachCadence: Values
    recurring: bool
    intervalMs: int | None
    occurrence: int
    nextOccurrenceAt: str | None
    outreachPrompt: str
    userEnquiryEnabled: bool
    campaign: bool
    customChannelSelection: bool
    customChannels: Values
    count: int | None
    industry: str | None
    additionalFilters: Values | None
    whitelistedCustom: bool
    customWhitelistedDomains: list[str] | None
    generation: Values | None
    sourceErrors: list[Values]
    enrichmentEnabled: bool
    phase: str
    status: str
    total: int | None
    processed: int
    sent: int
    answered: int
    trackOpens: bool
    trackClicks: bool
    opened: int
    clicked: int
    error: str
    tokenCap: int | None
    costCap: float | None
    smtp: Values | None
    mailApp: Values | None
    bulkJob: str | None
    cancelledAt: str | None
    startedAt: str | None
    finishedAt: str | None
    createdBy: Values | None
    updatedBy: Values | None
    createdAt: str
    updatedAt: str


class RunDetailData(RunData):
    """A run with its messages counted."""

    audience: Values
    audienceNames: dict[str, str]
    counts: dict[str, int]
    outcomes: dict[str, int | None]
    measured: dict[str, int]
    tracking: dict[str, bool]
    programVisits: dict[str, int]
    ownVisits: dict[str, int]
    byDay: list[Values]
    byHour: list[Values]
    lapsedCount: int
    steps: list[Values]
    enrichment: Values | None
    aiUse: Values
    percent: float
    nextDueAt: str | None
    nextDecision: Values | None
    reasons: list[Values]
