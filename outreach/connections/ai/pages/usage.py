"""The pages of AI usage: months, limits and the log of calls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.formats import money_text, month_text
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.records import RecordList, Records
from outreach.connections.ai.pages.base import CAP_HELP, AiPage
from outreach.connections.ai.serializers import CapsInput

PURPOSES = {
    "compose": gettext_lazy("Messages"),
    "sample": gettext_lazy("Samples"),
    "judge": gettext_lazy("Finding leads"),
    "question": gettext_lazy("Questions"),
    "test": gettext_lazy("Tests"),
}
NEWEST = {"sortBy": "createdAt", "sortOrder": "desc"}

CapsForm = form_from_input(
    CapsInput,
    {
        "monthlyTokenCap": gettext_lazy("Monthly token limit of all apps"),
        "monthlyCostCap": gettext_lazy("Monthly cost limit of all apps"),
        "runTokenCap": gettext_lazy("Token limit per outreach"),
        "runCostCap": gettext_lazy("Cost limit per outreach"),
    },
    help_texts={
        "monthlyTokenCap": CAP_HELP,
        "monthlyCostCap": CAP_HELP,
        "runTokenCap": gettext_lazy("Used unless an app has its own limit."),
    },
)


class AiUse(AiPage):
    path = "settings/ai/use"
    name = "ai-use"
    title = gettext_lazy("AI usage and limits")
    template = "web/ai/use.html"

    def show(self) -> Values:
        caps = self.read("ai-usage/caps").data
        form = CapsForm(initial=caps) if self.may("apps", "PUT") else None
        used = self.read("ai-usage/summary").data["months"]
        return {"caps": caps, "form": form, "bounds": bounds(caps), "months": months(used)}

    def do_save(self) -> HttpResponse:
        before = self.read("ai-usage/caps").data
        form = CapsForm(initial=before).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        answer = self.ask("PUT", "ai-usage/caps", None, form.values)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_with_toast(_("Limits saved. Waiting messages continue."))


def bounds(caps: Values) -> list[JsonObject]:
    """Return this month's usage of each cap, with the percentage."""
    rows = [bound(_("Tokens"), caps["tokens"], caps["monthlyTokenCap"])]
    if caps["planTokens"] is not None:
        rows.append(bound(_("Tokens of your plan"), caps["tokens"], caps["planTokens"]))
    rows.append(bound(_("Cost"), caps["cost"], caps["monthlyCostCap"], caps["currency"]))
    return rows


def bound(label: str, used: float, cap: float | None, currency: str = "") -> JsonObject:
    """Return the usage of a cap as text: an amount with a currency, or else a number."""

    def text(value: float) -> str:
        return money_text(Decimal(str(value)), currency) if currency else f"{value:,}"

    cap_text = None if cap is None else text(cap)
    return {"words": label, "used": text(used), "cap": cap_text, "percent": percent(used, cap)}


def percent(used: float, cap: float | None) -> int:
    if cap is None:
        return 0
    return 100 if cap <= 0 else min(100, round(100 * used / cap))


def months(rows: Sequence[Values]) -> list[JsonObject]:
    """Return the months, the newest first, each with its apps and how they compare with the largest of all."""
    most = max((row["tokensIn"] + row["tokensOut"] for row in rows), default=0) or 1
    by_month: dict[str, JsonObject] = {}
    for row in rows:
        tokens = row["tokensIn"] + row["tokensOut"]
        label = month_text(date.fromisoformat(f"{row['month']}-01"))
        month = by_month.setdefault(row["month"], {"month": label, "apps": [], "tokens": 0, "cost": 0})
        name = row["app"]["name"] if row["app"] else _("Deleted app")
        month["apps"].append({**row, "name": name, "tokens": tokens, "percent": round(100 * tokens / most)})
        month["tokens"] += tokens
        month["cost"] += row["cost"]
    return list(by_month.values())


class AiCalls(RecordList, AiPage):
    path = "settings/ai/calls"
    name = "ai-calls"
    title = gettext_lazy("AI usage log")
    none = gettext_lazy("No entries yet")
    count = ngettext_lazy("%(count)s entry", "%(count)s entries")
    template = "web/ai/calls.html"
    kind = Records("ai-usage", "ai-calls", "sparkles", gettext_lazy("Calls of AI models."))
    rows = "web/ai/call_rows.html"
    hint = gettext_lazy("Model")
    columns = (
        Column("createdAt", gettext_lazy("When"), "createdAt"),
        Column("app", gettext_lazy("App")),
        Column("purpose", gettext_lazy("Used for"), "purpose"),
        Column("model", gettext_lazy("Model"), "model"),
        Column("tokensIn", gettext_lazy("Input tokens"), "tokensIn", css="right num"),
        Column("tokensOut", gettext_lazy("Output tokens"), "tokensOut", css="right num"),
        Column("cost", gettext_lazy("Cost"), "cost", css="right num"),
    )
    choices = (Choice("purpose", gettext_lazy("Used for"), ("in",), list(PURPOSES.items())),)

    @property
    def extra(self) -> Values:  # type: ignore[override]
        return {} if self.state.sort else NEWEST

    def show(self) -> Values:
        context = super().show()
        shown = [{**call, "words": PURPOSES.get(call["purpose"], call["purpose"])} for call in context["records"]]
        return {**context, "records": shown}
