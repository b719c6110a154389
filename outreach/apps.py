from functools import partial

from django.apps import AppConfig
from django.db.models import Value
from django.db.models.functions import Coalesce, Left, NullIf


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        from accounts.companies.first_steps import FirstStep, register_first_step
        from accounts.companies.overview import Measure, register_measure
        from accounts.mails.recipients import recipient_check
        from accounts.members.services import members_removed
        from accounts.settings.branding import set_look
        from accounts.settings.groups.notifications import register_template_source
        from core.access import count_usage, meter_usage
        from core.access.meters import register_meter, terms_changed
        from crm.activities.reminders import register_reminder
        from crm.bulk_jobs.under_way import Work, register_work
        from crm.meetings.mails import meeting_mails_prepared
        from crm.meetings.video.registry import register_provider
        from outreach.chat.chat_events import jobs as chat_events  # noqa: F401  (register their work)
        from outreach.chat.chat_templates import jobs as chat_templates  # noqa: F401  (register their work)
        from outreach.chat.chat_templates.selectors import kept_templates
        from outreach.chat.chat_templates.services import exists
        from outreach.chat.chat_templates.trials import register as register_chat_trials
        from outreach.chat.chatbots import jobs as chatbots  # noqa: F401  (register their work)
        from outreach.chat.chatbots.models import ManualChatbot
        from outreach.chat.conversations import jobs as conversations  # noqa: F401  (register their work)
        from outreach.chat.widgets import jobs as widgets  # noqa: F401  (register their work)
        from outreach.chat.widgets.models import ChatWidget
        from outreach.connected_app_list import register_apps
        from outreach.connections.ai import jobs as ai  # noqa: F401  (register their work)
        from outreach.connections.ai.budgets import CREDITS, PLAN_LIMIT
        from outreach.connections.ai.services import ai_apps_changed, tell_changed
        from outreach.connections.ai.usage import used_this_month
        from outreach.connections.calendars import jobs as calendars  # noqa: F401  (register their work)
        from outreach.connections.calendars.logins import forget_members as disconnect_calendars
        from outreach.connections.calendars.provider import GoogleCalls
        from outreach.connections.connected_apps.selectors import counted_apps
        from outreach.connections.direct_apps import jobs as direct_apps  # noqa: F401  (register their work)
        from outreach.connections.mail_vendors.models import MailApp
        from outreach.connections.ocr import jobs as ocr  # noqa: F401  (register their work)
        from outreach.connections.senders.selectors import failing_senders
        from outreach.export_lists import register_lists
        from outreach.insights.crm_chat import jobs as crm_chat  # noqa: F401  (register their work)
        from outreach.insights.crm_chat.models import CrmChatThread
        from outreach.insights.crm_chat.services import forget_members
        from outreach.insights.reports.models import Dashboard
        from outreach.insights.reports.services import forget_dashboards
        from outreach.messaging.deliverability import jobs as deliverability  # noqa: F401  (register their work)
        from outreach.messaging.delivery import jobs as delivery  # noqa: F401  (register their work)
        from outreach.messaging.delivery.deciding.usage import MESSAGES, wake_messages
        from outreach.messaging.delivery.selectors import drafts, sent_messages
        from outreach.messaging.delivery.senders import connected_senders
        from outreach.messaging.domain_tracking import jobs as domain_tracking  # noqa: F401  (register their work)
        from outreach.messaging.domain_tracking.models import DomainTracking
        from outreach.messaging.email_templates.services import before_templates_deleted
        from outreach.messaging.inbox import jobs as inbox  # noqa: F401  (register their work)
        from outreach.messaging.inbox.selectors import failing_mailboxes, unread_replies
        from outreach.messaging.mail_events import jobs as mail_events  # noqa: F401  (register their work)
        from outreach.messaging.suppression import jobs as suppression  # noqa: F401  (register their work)
        from outreach.messaging.suppression.models import SuppressionImport
        from outreach.messaging.suppression.selectors import suppressed_addresses
        from outreach.privacy import register_personal_data_tables
        from outreach.prospecting.lead_generation import jobs as lead_generation  # noqa: F401  (register their work)
        from outreach.prospecting.lead_generation.models import LeadGeneration
        from outreach.report_types import register_reports
        from outreach.runs.campaigns import jobs as campaigns  # noqa: F401  (register their work)
        from outreach.runs.campaigns.selectors import kept_campaigns, waiting_with
        from outreach.runs.genie import jobs as genie  # noqa: F401  (register their work)
        from outreach.runs.genie.queue import QUEUE, waiting_messages
        from outreach.runs.genie.selectors import kept_runs
        from outreach.runs.genie.writing.writer import wake_waiting
        from outreach.search_kinds import register_kinds
        from outreach.site.booking import jobs as booking  # noqa: F401  (register their work)
        from outreach.site.booking import mails as booking_mails
        from outreach.site.booking.models import Booking
        from outreach.site.booking.services import forget_members as close_pages
        from outreach.site.forms import jobs as forms  # noqa: F401  (register their work)
        from outreach.site.white_label.brands import look_of

        register_apps()
        set_look(look_of)
        ai_apps_changed.connect(wake_waiting)
        before_templates_deleted.connect(waiting_with)
        recipient_check.connect(suppressed_addresses)
        count_usage("apps", counted_apps)
        count_usage("genie", kept_runs)
        count_usage("campaign", kept_campaigns)
        count_usage("template", kept_templates)
        count_usage("manual-chatbot", ManualChatbot.objects.all)
        count_usage("chat-widget", ChatWidget.objects.all)
        register_template_source("chatapp", exists)
        register_chat_trials()
        count_usage("domain-tracking", DomainTracking.objects.all)
        count_usage("report", Dashboard.objects.all)
        count_usage("ai-crm-chat", CrmChatThread.objects.all)
        members_removed.connect(forget_members)
        members_removed.connect(forget_dashboards)
        members_removed.connect(close_pages)
        members_removed.connect(disconnect_calendars)
        register_provider(GoogleCalls())
        meeting_mails_prepared.connect(booking_mails.visitors_of)
        register_reminder(Booking, booking_mails.REMINDER)
        meter_usage(PLAN_LIMIT, used_this_month)
        meter_usage(QUEUE, waiting_messages)
        register_meter(MESSAGES)
        register_meter(CREDITS)
        terms_changed.connect(wake_messages)
        terms_changed.connect(tell_changed)
        count_usage("lead-gen-ai", LeadGeneration.objects.all)
        register_first_step(FirstStep("sender", connected_senders, 1))
        register_first_step(FirstStep("run", kept_runs, 4))
        name = Coalesce(NullIf("name", Value("")), Left("prompt", 80))
        register_work(Work("genie", "genie", lambda actor: kept_runs().filter(cancelled_at=None), name))
        register_work(Work("suppression/import", "genie", lambda actor: SuppressionImport.objects.all(), "file__name"))
        register_measure(Measure("sent", "genie", sent_messages, "handed_at", by_day=True))
        register_measure(Measure("drafts", "genie", drafts))
        register_measure(Measure("unreadReplies", "genie", unread_replies))
        beside = (partial(failing_senders, MailApp), failing_mailboxes)
        register_measure(Measure("failingSenders", "apps", failing_senders, beside=beside))
        register_lists()
        register_kinds()
        register_reports()
        register_personal_data_tables()
