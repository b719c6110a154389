"""Pages, the back office, the API's documentation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from accounts.api_keys import pages as api_keys
from accounts.auth import pages as auth
from accounts.auth.staff import second_factor_pages
from accounts.companies import pages as companies
from accounts.members import pages as members
from accounts.notifications import pages as notifications
from accounts.profile import pages as profile
from accounts.programs import pages as programs
from accounts.request_log import pages as request_log
from accounts.roles import pages as roles
from accounts.settings import pages as company_settings
from billing.checkout import pages as checkout
from billing.entitlements import pages as entitlements
from billing.usage import pages as usage
from config.api_docs.pages import docs_urls
from config.api_docs.schema import key_schema, schema
from config.metrics.view import metrics
from config.serving.site_files import favicon, licences_page, robots
from config.staff_visits.pages import visit_urls
from config.urls import session
from core.web import contact_picker, organization_names, samples
from core.web.navigation import search
from core.web.navigation.menu import page_urls
from core.web.pages import Page
from crm.activities import pages as activities
from crm.bulk_jobs import pages as bulk_jobs
from crm.comments import pages as comments
from crm.contacts import pages as contacts
from crm.custom_fields import pages as custom_fields
from crm.exports import pages as exports
from crm.files import pages as files
from crm.files.downloads import web as downloads
from crm.files.public_pictures import web as public_pictures
from crm.imports import pages as imports
from crm.leads import pages as leads
from crm.meetings import pages as meetings
from crm.merging import pages as merging
from crm.organizations import pages as organizations
from crm.pipelines import pages as pipelines
from crm.products import pages as products
from crm.records import pages as recycle_bin
from crm.segments import pages as segments
from crm.tags import pages as tags
from crm.teams import pages as teams
from crm.webhooks import pages as webhooks
from outreach.chat.chat_templates import pages as chat_templates
from outreach.chat.chatbots import pages as chatbots
from outreach.chat.conversations import pages as conversations
from outreach.chat.widgets import pages as widgets
from outreach.connections.ai import pages as ai
from outreach.connections.chat_apps import pages as chat_apps
from outreach.connections.data_apps import pages as data_apps
from outreach.connections.direct_apps import pages as direct_apps
from outreach.connections.ocr import pages as card_scans
from outreach.connections.senders import pages as senders
from outreach.connections.social_apps import pages as social_apps
from outreach.connections.storage import pages as storage
from outreach.insights.crm_chat import pages as assistant
from outreach.insights.reports import pages as reports
from outreach.messaging.deliverability import pages as deliverability
from outreach.messaging.delivery import pages as messages
from outreach.messaging.domain_tracking import pages as tracking
from outreach.messaging.email_templates import design_pages as email_editor
from outreach.messaging.email_templates import gallery_pages as email_gallery
from outreach.messaging.email_templates import pages as email_templates
from outreach.messaging.inbox import pages as inbox
from outreach.messaging.personal_mail import pages as personal_mail
from outreach.messaging.suppression import pages as suppressions
from outreach.prospecting.enrichment import pages as proposals
from outreach.runs.campaigns import pages as campaigns
from outreach.runs.genie import pages as outreach
from outreach.site.booking import pages as booking
from outreach.site.forms import pages as forms
from outreach.site.quotes import pages as quotes
from outreach.site.white_label import pages as white_label
from workflows.approvals import pages as approvals
from workflows.definitions import pages as workflows
from workflows.runs import pages as workflow_runs
from workflows.secrets import pages as secrets

PAGES: list[type[Page]] = [
    *company_settings.PAGES,
    *companies.PAGES,
    *notifications.PAGES,
    *search.PAGES,
    *contact_picker.PAGES,
    *organization_names.PAGES,  # organizations/names comes before organizations/<id>
    *profile.PAGES,
    *auth.PAGES,
    *programs.PAGES,
    *card_scans.PAGES,  # contacts/scan comes before contacts/<id>
    *contacts.PAGES,
    *organizations.PAGES,
    *imports.PAGES,
    *exports.PAGES,
    *files.PAGES,
    *recycle_bin.PAGES,
    *leads.PAGES,
    *activities.PAGES,
    *comments.PAGES,
    *meetings.PAGES,
    *booking.PAGES,
    *quotes.PAGES,
    *outreach.PAGES,
    *campaigns.PAGES,
    *email_gallery.PAGES,  # templates/choose comes before templates/<id>
    *email_templates.PAGES,
    *email_editor.PAGES,
    *messages.PAGES,
    *senders.PAGES,
    *conversations.PAGES,
    *inbox.PAGES,  # the mailbox of a sender comes after the senders, whose item of the menu it shares
    *personal_mail.PAGES,
    *chatbots.PAGES,
    *chat_templates.PAGES,
    *chat_apps.PAGES,
    *forms.PAGES,
    *direct_apps.PAGES,
    *social_apps.PAGES,  # after the forms, whose item of the menu they share
    *widgets.PAGES,
    *workflows.PAGES,
    *workflow_runs.PAGES,
    *approvals.PAGES,
    *deliverability.PAGES,
    *tracking.PAGES,
    *assistant.PAGES,
    *white_label.PAGES,
    *suppressions.PAGES,
    *reports.PAGES,
    *proposals.PAGES,
    *ai.PAGES,
    *data_apps.PAGES,
    *storage.PAGES,
    *segments.PAGES,
    *webhooks.PAGES,
    *secrets.PAGES,
    *pipelines.PAGES,
    *tags.PAGES,
    *products.PAGES,
    *teams.PAGES,
    *merging.PAGES,
    *members.PAGES,
    *roles.PAGES,
    *custom_fields.PAGES,
    *api_keys.PAGES,
    *request_log.PAGES,
    *entitlements.PAGES,
    *checkout.PAGES,
    *usage.PAGES,
    *bulk_jobs.PAGES,
    *(samples.PAGES if settings.DEMO or settings.DEBUG else []),
]
"""The members' pages: each domain's, below /c/<company id>/ (docs/web.md)."""

urlpatterns = [
    path("api/schema", schema, name="schema"),
    path("api/schema/", schema),
    path("api/schema/key", key_schema, name="key-schema"),
    *docs_urls(),
    *downloads,
    *public_pictures,
    *([path("", include("config.local.demo.urls"))] if settings.DEMO else []),  # its log-in comes first
    path("metrics", metrics),
    path("robots.txt", robots),
    path("favicon.ico", favicon),
    path("licences", licences_page),
    path("", include("accounts.pages.urls")),
    *page_urls(PAGES),
    *([path("mails/", include("config.local.mail_catcher.urls"))] if settings.DEMO else []),
    *visit_urls(session.router.operations()),
    *second_factor_pages.urls(),
    path("admin/", admin.site.urls),
]
