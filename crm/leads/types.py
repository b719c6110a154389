"""Types of the API's answers about leads, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class LeadContactData(TypedDict):
    """The contact of a lead."""

    _id: str
    name: str
    email: str | None
    contactNumber: str | None
    isDeleted: bool


class BoardStageData(TypedDict):
    """A stage with the leads in it."""

    _id: str
    name: str
    kind: str
    probability: int
    status: str | None
    count: int
    sum: float
    weighted: float


class BoardData(TypedDict):
    """The board of a pipeline."""

    pipeline: Values
    stages: list[BoardStageData]
    pipelines: list[Values]
    lostReasons: list[Values]
    lostReasonRequired: bool


class LeadData(TypedDict):
    """A lead."""

    _id: str
    contact: LeadContactData
    status: str
    statusChangedAt: str | None
    pipeline: Values | None
    stage: Values | None
    lostReason: Values | None
    expectedCloseAt: str | None
    source: str
    value: float | None
    notes: str
    productServices: list[Values]
    organization: Values | None
    team: Values | None
    teamMember: Values | None
    owner: Values | None
    tags: list[Values]
    formData: Values
    importId: Values | None
    createdBy: Values | None
    updatedBy: Values | None
    isDeleted: bool
    createdAt: str
    updatedAt: str
