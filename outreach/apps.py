from functools import partial

from django.apps import AppConfig
from django.db.models import Value
from django.db.models.functions import Coalesce, Left, NullIf


class OutreachConfig(AppConfig):
    name = "outreach"

    def ready(self) -> None:
        from accounts.companies.first_steps import FirstStep, register_first_step
        from accounts.companies.overview import Measure, register_measure
        from accounts.mails.recipients import register_unwanted
        from accounts.members.services import on_members_removed
        from accounts.settings.branding import set_look
        from accounts.settings.groups.notifications import register_template_source
        from core.access import count_usage, meter_usage
        from core.access.meters import TERMS_CHANGED, register_meter
        from crm.activities.reminders import register_reminder
        from crm.bulk_jobs.under_way import Work, register_work
        from crm.meetings.mails import INVITED
        from crm.meetings.video.registry import register_provider
        from outreach.ai import jobs as ai  # noqa: F401  (register their work)
        from outreach.ai.budgets import CREDITS, PLAN_LIMIT
        from outreach.ai.services import CHANGED, tell_changed
        from outreach.ai.usage import used_this_month
        from outreach.booking import jobs as booking  # noqa: F401  (register their work)
        from outreach.booking import mails as booking_mails
        from outreach.booking.models import Booking
        from outreach.booking.services import forget_members as close_pages
        from outreach.calendars import jobs as calendars  # noqa: F401  (register their work)
        from outreach.calendars.logins import forget_members as disconnect_calendars
        from outreach.calendars.provider import GoogleCalls
        from outreach.campaigns import jobs as campaigns  # noqa: F401  (register their work)
        from outreach.campaigns.selectors import kept_campaigns, waiting_with
        from outreach.chat_events import jobs as chat_events  # noqa: F401  (register their work)
        from outreach.chat_templates import jobs as chat_templates  # noqa: F401  (register their work)
        from outreach.chat_templates.selectors import kept_templates
        from outreach.chat_templates.services import exists
        from outreach.chat_templates.trials import register as register_chat_trials
        from outreach.chatbots import jobs as chatbots  # noqa: F401  (register their work)
        from outreach.chatbots.models import ManualChatbot
        from outreach.connected_app_list import register_apps
        from outreach.connected_apps.selectors import counted_apps
        from outreach.conversations import jobs as conversations  # noqa: F401  (register their work)
        from outreach.crm_chat import jobs as crm_chat  # noqa: F401  (register their work)
        from outreach.crm_chat.models import CrmChatThread
        from outreach.crm_chat.services import forget_members
        from outreach.deliverability import jobs as deliverability  # noqa: F401  (register their work)
        from outreach.delivery import jobs as delivery  # noqa: F401  (register their work)
        from outreach.delivery.deciding.usage import MESSAGES, wake_messages
        from outreach.delivery.selectors import drafts, sent_messages
        from outreach.delivery.senders import connected_senders
        from outreach.direct_apps import jobs as direct_apps  # noqa: F401  (register their work)
        from outreach.domain_tracking import jobs as domain_tracking  # noqa: F401  (register their work)
        from outreach.domain_tracking.models import DomainTracking
        from outreach.email_templates.services import USES
        from outreach.export_lists import register_lists
        from outreach.forms import jobs as forms  # noqa: F401  (register their work)
        from outreach.genie import jobs as genie  # noqa: F401  (register their work)
        from outreach.genie.queue import QUEUE, waiting_messages
        from outreach.genie.selectors import kept_runs
        from outreach.genie.writing.writer import wake_waiting
        from outreach.inbox import jobs as inbox  # noqa: F401  (register their work)
        from outreach.inbox.selectors import failing_mailboxes, unread_replies
        from outreach.lead_generation import jobs as lead_generation  # noqa: F401  (register their work)
        from outreach.lead_generation.models import LeadGeneration
        from outreach.mail_events import jobs as mail_events  # noqa: F401  (register their work)
        from outreach.mail_vendors.models import MailApp
        from outreach.ocr import jobs as ocr  # noqa: F401  (register their work)
        from outreach.privacy import register_personal_data_tables
        from outreach.report_types import register_reports
        from outreach.reports.models import Dashboard
        from outreach.reports.services import forget_dashboards
        from outreach.search_kinds import register_kinds
        from outreach.senders.selectors import failing_senders
        from outreach.suppression import jobs as suppression  # noqa: F401  (register their work)
        from outreach.suppression.models import SuppressionImport
        from outreach.suppression.selectors import suppressed_addresses
        from outreach.white_label.brands import look_of
        from outreach.widgets import jobs as widgets  # noqa: F401  (register their work)
        from outreach.widgets.models import ChatWidget

        register_apps()
        set_look(look_of)
        CHANGED.append(wake_waiting)
        USES.append(waiting_with)
        register_unwanted(suppressed_addresses)
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
        on_members_removed(forget_members)
        on_members_removed(forget_dashboards)
        on_members_removed(close_pages)
        on_members_removed(disconnect_calendars)
        register_provider(GoogleCalls())
        INVITED.append(booking_mails.visitors_of)
        register_reminder(Booking, booking_mails.REMINDER)
        meter_usage(PLAN_LIMIT, used_this_month)
        meter_usage(QUEUE, waiting_messages)
        register_meter(MESSAGES)
        register_meter(CREDITS)
        TERMS_CHANGED.extend((wake_messages, tell_changed))
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
