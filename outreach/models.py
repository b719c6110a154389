from outreach.ai.models import AiApp, AiBudget, AiCaps, AiUsage
from outreach.booking.models import Booking, BookingPage, MemberHours
from outreach.calendars.models import CalendarConnection, CalendarEvent
from outreach.campaigns.models import Campaign
from outreach.chat_apps.models import ChatApp, ChatOptOut, ChatTemplate
from outreach.chat_events.models import ChatEvent
from outreach.chatbots.models import ManualChatbot
from outreach.conversations.models import AnswerTime, CannedAnswer, Conversation, ConversationMessage
from outreach.crm_chat.models import CrmChatMessage, CrmChatThread
from outreach.data_apps.models import DataApp
from outreach.deliverability.models import DkimKey, SenderCheck
from outreach.delivery.limits.models import RecipientQuota
from outreach.delivery.models import SendJob, SendJobTransition
from outreach.delivery.settings.models import GenieSettings
from outreach.delivery.tracking.models import TrackingEvent
from outreach.domain_tracking.models import DomainTracking
from outreach.email_templates.models import EmailTemplate, EmailTemplateVersion
from outreach.enrichment.models import Enrichment, EnrichmentProposal
from outreach.forms.models import Form, FormLead
from outreach.genie.models import GenieScheduler
from outreach.inbox.models import ImapMailbox, InboundMessage
from outreach.lead_generation.models import LeadGeneration
from outreach.mail_events.models import MailEvent, MailHookToken
from outreach.mail_vendors.models import MailApp, VendorLogin
from outreach.ocr.models import CardScan, Ocr
from outreach.reports.models import Dashboard
from outreach.senders.models import Smtp
from outreach.social_apps.models import SocialAApp, SocialPage
from outreach.suppression.models import Suppression, SuppressionImport
from outreach.white_label.models import BrandImage, WhiteLabel
from outreach.widgets.models import ChatWidget, WidgetVisitor

__all__ = [
    "AiApp",
    "AiBudget",
    "AiCaps",
    "AiUsage",
    "AnswerTime",
    "BrandImage",
    "Booking",
    "BookingPage",
    "CalendarConnection",
    "CalendarEvent",
    "Campaign",
    "CannedAnswer",
    "CardScan",
    "ChatApp",
    "ChatEvent",
    "ChatOptOut",
    "ChatTemplate",
    "ChatWidget",
    "Conversation",
    "ConversationMessage",
    "CrmChatMessage",
    "CrmChatThread",
    "Dashboard",
    "DataApp",
    "DkimKey",
    "DomainTracking",
    "EmailTemplate",
    "EmailTemplateVersion",
    "Enrichment",
    "EnrichmentProposal",
    "Form",
    "FormLead",
    "GenieScheduler",
    "GenieSettings",
    "ImapMailbox",
    "InboundMessage",
    "LeadGeneration",
    "MailApp",
    "MailEvent",
    "MailHookToken",
    "MemberHours",
    "ManualChatbot",
    "Ocr",
    "RecipientQuota",
    "SendJob",
    "SendJobTransition",
    "SenderCheck",
    "Smtp",
    "SocialAApp",
    "SocialPage",
    "Suppression",
    "SuppressionImport",
    "TrackingEvent",
    "VendorLogin",
    "WhiteLabel",
    "WidgetVisitor",
]
