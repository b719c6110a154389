"""Back office pages of AI apps, of their calls and budgets."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _
from outreach.connections.ai.models import AiApp, AiBudget, AiCaps, AiUsage
from outreach.connections.connected_apps.admin import write_only


class AiAppForm(BackOfficeForm):
    """An AI app, whose key can be written but not read."""

    new_api_key = write_only(_("New API key"))

    def save(self, commit: bool = True) -> AiApp:
        if self.cleaned_data.get("new_api_key"):
            self.instance.api_key = self.cleaned_data["new_api_key"]
        app: AiApp = super().save(commit)
        return app


@admin.register(AiApp)
class AiAppAdmin(CompanyRecordAdmin):
    """Configured AI providers."""

    icon = "auto_awesome"
    form = AiAppForm
    edits = (
        "name",
        "selected_model",
        "is_active",
        "monthly_token_cap",
        "monthly_cost_cap",
        "price_per_million_in",
        "price_per_million_out",
        "timeout_seconds",
        "new_api_key",
    )
    extra = ("new_api_key",)
    hides = ("api_key",)
    list_display = ("name", "provider", "company", "selected_model", "is_active", "is_default", "created_at")
    list_filter = (BY_COMPANY, "provider", "is_active")
    search_fields = ("=id", "name", "provider")


@admin.register(AiCaps)
class AiCapsAdmin(CompanyRecordAdmin):
    """Limits on the use of companies' AI apps."""

    icon = "data_thresholding"
    edits = ("monthly_token_cap", "monthly_cost_cap", "run_token_cap", "run_cost_cap")
    list_display = ("company", "monthly_token_cap", "monthly_cost_cap", "run_token_cap", "run_cost_cap")
    search_fields = ("=id",)


@admin.register(AiBudget)
class AiBudgetAdmin(CompanyRecordAdmin):
    """Used and reserved amounts of each budget."""

    icon = "savings"
    operators_only = True
    folds = ("key",)
    list_display = ("__str__", "company", "tokens_used", "tokens_reserved", "cost_used", "cost_reserved")
    search_fields = ("=id", "key")


@admin.register(AiUsage)
class AiUsageAdmin(CompanyRecordAdmin):
    """Calls of models."""

    icon = "receipt_long"
    list_display = ("purpose", "company", "app", "model", "tokens_in", "tokens_out", "cost", "status", "created_at")
    list_filter = (BY_COMPANY, "purpose", "status")
    search_fields = ("=id", "model")
