"""The pages of outreach: the runs, a new one, one with its numbers, the review of its drafts, and their approval."""

from __future__ import annotations

from outreach.runs.genie.pages.approve import ApproveAll
from outreach.runs.genie.pages.find import FindCost, FindPeople
from outreach.runs.genie.pages.new import NewRun, RunAudience, RunPeople, RunSamples, RunSteps
from outreach.runs.genie.pages.review import Review, ReviewDraft
from outreach.runs.genie.pages.runs import Run, Runs

PAGES = [
    Runs,
    FindPeople,
    FindCost,
    NewRun,
    RunAudience,
    RunPeople,
    RunSteps,
    RunSamples,
    Run,
    ApproveAll,
    Review,
    ReviewDraft,
]
