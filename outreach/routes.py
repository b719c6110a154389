"""Addresses of outreach."""

from __future__ import annotations

from core.api.router import Route
from core.api.routers import ResourceRouter
from crm.exports.routes import list_export_routes
from outreach.connected_apps import routes as connected_apps
from outreach.delivery import views as messages
from outreach.genie import views as genie
from outreach.lead_generation import views as lead_generation
from outreach.suppression import public_views as public

PROTECTED_VIEWS = [
    *list_export_routes("outreach"),
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
    connected_apps.register_protected(router)
    router.add(*PROTECTED_VIEWS)


def register_public(router: ResourceRouter) -> None:
    router.add(*PUBLIC_VIEWS)
