"""The report about the use of AI apps, from the ledger of their calls."""

from __future__ import annotations

from django.db.models import CharField, Sum, Value
from django.db.models.functions import Coalesce, Left, NullIf

from core.reports import By, Column, Report, Source, count
from outreach.connections.ai.models import AiUsage
from outreach.connections.ai.usage import settled_calls
from outreach.connections.connected_apps.registry import MODULE

PURPOSES = {
    AiUsage.Purpose.COMPOSE: "Messages",
    AiUsage.Purpose.SAMPLE: "Samples",
    AiUsage.Purpose.JUDGE: "Checks",
    AiUsage.Purpose.QUESTION: "Questions about records",
    AiUsage.Purpose.TEST: "Tests of the connection",
}
"""Purpose -> its label."""

AI_USAGE = Report(
    name="ai-usage",
    title="AI use",
    about="Calls of AI apps that were answered in the period, with their tokens and what they cost by the app's prices"
    " then.",
    modules=(MODULE,),
    place=80,
    sources=(
        Source(
            rows=lambda actor: settled_calls(),
            at="created_at",
            path="ai-usage",
            at_field="createdAt",
            by=(
                By("app", "AI app", "app_id", label="app__name", field="app", empty="An app that was removed"),
                By("purpose", "Purpose", "purpose", labels=PURPOSES, field="purpose"),
                By(
                    "run",
                    "Outreach",
                    "run_id",
                    label=Coalesce(NullIf("run__name", Value("")), Left("run__prompt", 80), output_field=CharField()),
                    field="run",
                    empty="No outreach",
                ),
                By("model", "Model", NullIf("model", Value("")), field="model", empty="Not told"),
            ),
            columns=(
                count("calls", "Calls"),
                Column("tokensIn", "Tokens sent", Sum("tokens_in")),
                Column("tokensOut", "Tokens received", Sum("tokens_out")),
                Column("cost", "Cost", Sum("cost"), "money"),
            ),
        ),
    ),
)

REPORTS = (AI_USAGE,)
