from outreach.chat.chat_events.models import ChatEvent
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.conversations.models import AnswerTime, CannedAnswer, Conversation, ConversationMessage
from outreach.chat.widgets.models import ChatWidget, WidgetVisitor
from outreach.connections.ai.models import AiApp, AiBudget, AiCaps, AiUsage
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.chat_apps.models import ChatApp, ChatOptOut, ChatTemplate
from outreach.connections.data_apps.models import DataApp
from outreach.connections.mail_vendors.models import MailApp, VendorLogin
from outreach.connections.ocr.models import CardScan, Ocr
from outreach.connections.senders.models import Smtp
from outreach.connections.social_apps.models import SocialAApp, SocialPage
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread
from outreach.insights.reports.models import Dashboard
from outreach.messaging.deliverability.models import DkimKey, SenderCheck
from outreach.messaging.delivery.limits.models import RecipientQuota
from outreach.messaging.delivery.models import SendJob, SendJobTransition
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.messaging.email_templates.models import EmailTemplate, EmailTemplateVersion
from outreach.messaging.inbox.models import ImapMailbox, InboundMessage
from outreach.messaging.mail_events.models import MailEvent, MailHookToken
from outreach.messaging.personal_mail.models import PersonalMail
from outreach.messaging.suppression.models import Suppression, SuppressionImport
from outreach.prospecting.enrichment.models import Enrichment, EnrichmentProposal
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.runs.campaigns.models import Campaign
from outreach.runs.genie.models import GenieScheduler
from outreach.site.booking.models import Booking, BookingPage, BookingSlug, MemberHours
from outreach.site.forms.models import Form, FormLead
from outreach.site.quotes.models import Quote, QuoteSettings
from outreach.site.white_label.models import BrandImage, WhiteLabel

__all__ = [
    "AiApp",
    "AiBudget",
    "AiCaps",
    "AiUsage",
    "AnswerTime",
    "BrandImage",
    "Booking",
    "BookingPage",
    "BookingSlug",
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
    "PersonalMail",
    "Quote",
    "QuoteSettings",
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
