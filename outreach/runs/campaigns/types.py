"""Types of the API's answers about campaigns, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class CampaignData(TypedDict):
    """A campaign with its content, its people, and the outcomes of its messages."""

    _id: str
    name: str
    type: str
    status: str
    smtp: Values | None
    mailApp: Values | None
    chatApp: Values | None
    templateId: str | None
    variables: dict[str, str]
    subject: str
    winner: Values | None
    won: Values
    decidesAt: str | None
    audience: str
    scheduledAt: str | None
    endsAt: str | None
    window: Values | None
    throttle: int | None
    recurring: bool
    intervalMs: int | None
    writeAgain: bool
    manual: bool
    trackOpens: bool
    trackClicks: bool
    utmTags: bool
    utmSource: str
    utmMedium: str
    utmCampaign: str
    error: str
    total: int | None
    sent: int
    replied: int
    opened: int
    clicked: int
    startedAt: str | None
    finishedAt: str | None
    createdBy: Values | None
    updatedBy: Values | None
    createdAt: str
    updatedAt: str
    body: str
    variants: list[Values]
    contactIds: list[str]
    leadIds: list[str]
    segments: list[str] | None
    tags: list[str] | None
    categories: list[str] | None
    audienceNames: dict[str, str]
    run: str | None
    bulkJob: str | None
    occurrence: int
    nextOccurrenceAt: str | None
    counts: dict[str, int]
    funnel: dict[str, int | None]
    measured: dict[str, int]
    tracking: dict[str, bool]
    programVisits: dict[str, int]
    ownVisits: dict[str, int]
    byDay: list[Values]
    byHour: list[Values]
    outreachCadence: Values
    stepResults: list[Values]
    variantResults: list[Values]
    linkResults: list[Values]
    waitingForWinner: int
    nextDueAt: str | None
    nextDecision: Values | None
    reasons: list[Values]
