"""Addresses of outreach."""

from __future__ import annotations

from core.api.router import Route
from core.api.routers import ResourceRouter
from crm.exports.routes import register_list_exports
from outreach.delivery import views as messages
from outreach.genie import views as genie
from outreach.lead_generation import views as lead_generation
from outreach.senders import views as apps
from outreach.suppression import public_views as public

PROTECTED_VIEWS = [
    Route("apps/smtp", apps.Senders),
    Route("apps/smtp/<str:id>", apps.SenderDetail),
    Route("apps/smtp/<str:id>/test", apps.SenderTest),
    Route("apps/ai-offline", apps.AiApps),
    Route("apps/ai-offline/<str:id>", apps.AiAppDetail),
    Route("genie", genie.Runs),
    Route("genie/audience-preview", genie.AudiencePreview),
    Route("genie/from-contacts", genie.RunsFromContacts),
    Route("genie/settings", genie.GenieSettingsView),
    Route("genie/send-jobs", messages.Messages),
    Route("genie/send-jobs/<str:sendJobId>", messages.MessageView),
    Route("genie/send-jobs/<str:sendJobId>/approve", messages.MessageApprove),
    Route("genie/send-jobs/<str:sendJobId>/draft", messages.MessageDraft),
    Route("genie/<str:schedulerId>", genie.RunView),
    Route("genie/<str:schedulerId>/approve-all", genie.RunApproveAll),
    Route("genie/<str:schedulerId>/draft-all", genie.RunDraftAll),
    Route("genie/<str:schedulerId>/cancel", genie.RunCancel),
    Route("genie/<str:schedulerId>/retry-failed", genie.RunRetryFailed),
    Route("lead/lead-gen-ai", lead_generation.LeadGenerations),
    Route("lead/lead-gen-ai/<str:id>", lead_generation.LeadGenerationView),
    Route("logs/smtp", messages.SmtpLog),
    Route("suppression", messages.Suppressions),
]

PUBLIC_VIEWS = [Route("unsubscribe/<str:token>", public.Unsubscribe)]


def register_protected(router: ResourceRouter) -> None:
    register_list_exports(router, "outreach")
    router.add(*PROTECTED_VIEWS)


def register_public(router: ResourceRouter) -> None:
    router.add(*PUBLIC_VIEWS)
