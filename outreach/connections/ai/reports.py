"""The report about the use of AI apps, from the ledger of their calls."""

from __future__ import annotations

from django.db.models import CharField, Sum, Value
from django.db.models.functions import Coalesce, Left, NullIf

from core.reports import Column, Grouping, Report, Source, count
from core.text.translation import gettext_lazy
from outreach.connections.ai.models import AiUsage
from outreach.connections.ai.usage import settled_calls
from outreach.connections.connected_apps.registry import MODULE

PURPOSES = {
    AiUsage.Purpose.COMPOSE: gettext_lazy("Messages"),
    AiUsage.Purpose.SAMPLE: gettext_lazy("Samples"),
    AiUsage.Purpose.JUDGE: gettext_lazy("Checks"),
    AiUsage.Purpose.QUESTION: gettext_lazy("Questions about records"),
    AiUsage.Purpose.TEST: gettext_lazy("Connection tests"),
}
"""Purpose -> its label."""

AI_USAGE = Report(
    name="ai-usage",
    title=gettext_lazy("AI usage"),
    about=gettext_lazy("AI calls of the period, with tokens and costs."),
    modules=(MODULE,),
    place=80,
    sources=(
        Source(
            rows=lambda actor: settled_calls(),
            at="created_at",
            path="ai-usage",
            at_field="createdAt",
            by=(
                Grouping(
                    "app",
                    gettext_lazy("AI app"),
                    "app_id",
                    label="app__name",
                    field="app",
                    empty=gettext_lazy("Deleted app"),
                ),
                Grouping("purpose", gettext_lazy("Purpose"), "purpose", labels=PURPOSES, field="purpose"),
                Grouping(
                    "run",
                    gettext_lazy("Outreach"),
                    "run_id",
                    label=Coalesce(NullIf("run__name", Value("")), Left("run__prompt", 80), output_field=CharField()),
                    field="run",
                    empty=gettext_lazy("No outreach"),
                ),
                Grouping(
                    "model",
                    gettext_lazy("Model"),
                    NullIf("model", Value("")),
                    field="model",
                    empty=gettext_lazy("Unknown"),
                ),
            ),
            columns=(
                count("calls", gettext_lazy("Calls")),
                Column("tokensIn", gettext_lazy("Tokens sent"), Sum("tokens_in")),
                Column("tokensOut", gettext_lazy("Tokens received"), Sum("tokens_out")),
                Column("cost", gettext_lazy("Cost"), Sum("cost"), "money"),
            ),
        ),
    ),
)

REPORTS = (AI_USAGE,)
