"""Makers of rows of outreach."""

from __future__ import annotations

from itertools import count

from django.utils import timezone

from core.ids import new_id
from outreach.models import (
    AiApp,
    AiBudget,
    AiCaps,
    AiUsage,
    AnswerTime,
    Booking,
    BookingPage,
    BookingSlug,
    BrandImage,
    CalendarConnection,
    CalendarEvent,
    Campaign,
    CannedAnswer,
    CardScan,
    ChatApp,
    ChatEvent,
    ChatOptOut,
    ChatTemplate,
    ChatWidget,
    Conversation,
    ConversationMessage,
    CrmChatMessage,
    CrmChatThread,
    Dashboard,
    DataApp,
    DkimKey,
    DomainTracking,
    EmailTemplate,
    EmailTemplateVersion,
    Enrichment,
    EnrichmentProposal,
    Form,
    FormLead,
    GenieScheduler,
    GenieSettings,
    ImapMailbox,
    InboundMessage,
    LeadGeneration,
    MailApp,
    MailEvent,
    MailHookToken,
    ManualChatbot,
    MemberHours,
    Ocr,
    PersonalMail,
    Quote,
    QuoteSettings,
    RecipientQuota,
    SenderCheck,
    SendJob,
    SendJobTransition,
    Smtp,
    SocialAApp,
    SocialPage,
    Suppression,
    SuppressionImport,
    TrackingEvent,
    VendorLogin,
    WhiteLabel,
    WidgetVisitor,
)
from tests.guards.backoffice_rows.crm import make_file, make_meeting, make_team
from tests.guards.backoffice_rows.shared import SECRET, Makers, in_other_company
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, SmtpFactory


def make_run(n: int) -> GenieScheduler:
    return GenieScheduler.objects.create(name=f"Run {n}", ai_type="offline", total=3, processed=n % 4)


def make_job(n: int) -> SendJob:
    return SendJob.objects.create(
        run=make_run(n), contact=ContactFactory(), smtp=make_smtp(n), subject=f"Hello {n}", status=SendJob.Status.DRAFT
    )


def make_chat_app(n: int) -> ChatApp:
    return ChatApp.objects.create(
        name=f"Number {n}", phone_number_id=new_id(), waba_id="2002", access_token=SECRET, app_secret=SECRET
    )


def make_social_app(n: int) -> SocialAApp:
    return SocialAApp.objects.create(name=f"App {n}", app_id=f"{n}", app_secret=SECRET, user_token=SECRET)


def make_form(n: int) -> Form:
    return Form.objects.create(name=f"Form {n} {new_id()[-8:]}", token=new_id())


def make_conversation(n: int) -> Conversation:
    return Conversation.objects.create(chat_app=make_chat_app(n), contact=ContactFactory(), address=f"+49151{n:08}")


def make_mail_app(n: int) -> MailApp:
    keys = {"api_key": SECRET, "secret_key": SECRET, "signing_key": SECRET, "access_token": SECRET}
    return MailApp.objects.create(letter="a", vendor="brevo", from_email=f"m{n}@example.com", from_name="M", **keys)


def make_smtp(n: int) -> Smtp:
    return SmtpFactory(name=f"Sender {n}", password=SECRET)


def make_booking_page(n: int) -> BookingPage:
    return BookingPage.objects.create(name=f"Intro {n}.{next(_numbers)}", token=new_id(), member=MemberFactory())


def make_booking(n: int) -> Booking:
    page = make_booking_page(n)
    values = {"name": f"Visitor {n}", "email": f"visitor{n}@example.org", "answers": {"n": f"{n}"}}
    return Booking.objects.create(
        page=page, meeting=make_meeting(n), member=page.member, sent_id=new_id(), token=new_id(), **values
    )


def make_quote(n: int) -> Quote:
    lead = LeadFactory()
    values = {"title": f"Offer {n}", "currency": "EUR", "total": 12, "valid_until": timezone.now()}
    return Quote.objects.create(lead=lead, contact=lead.contact, number=f"Q-{next(_numbers):06}", **values)


def make_calendar(n: int) -> CalendarConnection:
    tokens = {"api_key": SECRET, "access_token": SECRET}
    return CalendarConnection.objects.create(
        member=MemberFactory(), email=f"c{n}@example.org", is_active=True, **tokens
    )


def _question_thread() -> CrmChatThread:
    return CrmChatThread.objects.create(owner=MemberFactory(), title=SECRET)


_numbers = count()

ROWS: Makers = {
    Smtp: make_smtp,
    DkimKey: lambda n: DkimKey.objects.create(
        domain=f"d{n}.example", selector="lw-1", private_key=SECRET, public_record="v=DKIM1; p="
    ),
    DomainTracking: lambda n: DomainTracking.objects.create(name=f"c{n}.example", proof="x"),
    TrackingEvent: lambda n: TrackingEvent.objects.create(
        send_job=make_job(n), kind="opened", link=0, visitor=f"{n}", happened_at=timezone.now()
    ),
    SenderCheck: lambda n: SenderCheck.objects.create(smtp=make_smtp(n), domain=f"d{n}.example", light="green"),
    ImapMailbox: lambda n: ImapMailbox.objects.create(
        smtp=make_smtp(n), host="127.0.0.1", username=f"box{n}", password=SECRET, folders=["INBOX"]
    ),
    InboundMessage: lambda n: InboundMessage.objects.create(
        kind="reply", uid_validity=1, uid=n, digest=f"{n:064}", subject=f"Re: Hello {n}", received_at=timezone.now()
    ),
    MailApp: make_mail_app,
    VendorLogin: lambda n: VendorLogin.objects.create(
        member=MemberFactory(), letter="c", state_hash=f"{n:064}", ends_at=timezone.now()
    ),
    MailEvent: lambda n: MailEvent.objects.create(
        app=make_mail_app(n), dedupe_key=f"{n:064}", kind="delivered", happened_at=timezone.now(), raw={"n": n}
    ),
    MailHookToken: lambda n: MailHookToken.objects.create(
        app=make_mail_app(n), token_hash=f"{n:064}", content_hash=f"{n:064}"
    ),
    ChatApp: make_chat_app,
    ChatTemplate: lambda n: ChatTemplate.objects.create(
        app=make_chat_app(n), name=f"hello_{n}", language="en", components=[{"type": "BODY", "text": f"Hello {n}"}]
    ),
    ChatOptOut: lambda n: ChatOptOut.objects.create(phone=f"+49151{n:08}"),
    ChatEvent: lambda n: ChatEvent.objects.create(
        app=make_chat_app(n), dedupe_key=f"{n:064}", kind="status", happened_at=timezone.now(), data={"n": n}
    ),
    SocialAApp: make_social_app,
    SocialPage: lambda n: SocialPage.objects.create(
        app=make_social_app(n), page_id=f"{n}", name=f"Page {n}", token=SECRET
    ),
    BookingPage: make_booking_page,
    BookingSlug: lambda n: BookingSlug.objects.create(slug=f"intro-{n}-{next(_numbers)}", page=make_booking_page(n)),
    Booking: make_booking,
    Quote: make_quote,
    QuoteSettings: lambda n: QuoteSettings.objects.get_or_create()[0],
    MemberHours: lambda n: MemberHours.objects.create(member=MemberFactory(), timezone="Europe/Berlin"),
    CalendarConnection: make_calendar,
    CalendarEvent: lambda n: CalendarEvent.objects.create(
        connection=make_calendar(n), meeting=make_meeting(n), status="done"
    ),
    Form: make_form,
    FormLead: lambda n: FormLead.objects.create(
        form=make_form(n), leadgen_id=f"{n}", answers={"n": f"{n}"}, submitted_at=timezone.now(), status="done"
    ),
    Conversation: make_conversation,
    ConversationMessage: lambda n: ConversationMessage.objects.create(
        conversation=make_conversation(n),
        direction="in",
        author="contact",
        text=f"Hello {n}",
        external_id=f"in.{n}",
        happened_at=timezone.now(),
    ),
    AnswerTime: lambda n: AnswerTime.objects.create(team=make_team(n), first_minutes=n),
    WhiteLabel: lambda n: in_other_company(lambda: WhiteLabel.objects.create(product_name="Acme")),
    BrandImage: lambda n: BrandImage.objects.create(kind="logo", content=b"png", width=n, height=n),
    CrmChatThread: lambda n: _question_thread(),
    CrmChatMessage: lambda n: CrmChatMessage.objects.create(
        thread=_question_thread(),
        question=SECRET,
        answer=SECRET,
        evidence=[{"words": SECRET}],
        rounds=[{"reply": SECRET}],
    ),
    CannedAnswer: lambda n: CannedAnswer.objects.create(name=f"Hours {n}", text="We are open."),
    ChatWidget: lambda n: ChatWidget.objects.create(name=f"Site {n}"),
    WidgetVisitor: lambda n: WidgetVisitor.objects.create(
        widget=ChatWidget.objects.create(name=f"Visited site {n}"), name=f"Visitor {n}", seen_at=timezone.now()
    ),
    ManualChatbot: lambda n: ManualChatbot.objects.create(name=f"Bot {n}", normalized_name=f"bot {n}"),
    Ocr: lambda n: Ocr.objects.create(name="ocr-space", key=SECRET, confidence=n / 100),
    CardScan: lambda n: CardScan.objects.create(file=make_file(n)),
    AiApp: lambda n: AiApp.objects.create(provider="offline", name=f"App {n}", api_key=SECRET),
    AiCaps: lambda n: in_other_company(lambda: AiCaps.objects.create(monthly_token_cap=1000)),
    AiBudget: lambda n: AiBudget.objects.create(key=f"company:{2026 + n // 12}-{n % 12 + 1:02}", tokens_used=n),
    AiUsage: lambda n: AiUsage.objects.create(purpose="compose", model="m", tokens_in=n, tokens_out=n, cost=0),
    EmailTemplateVersion: lambda n: EmailTemplateVersion.objects.create(
        template=EmailTemplate.objects.create(name=f"Words {n}", subject="Hello", body="Hello"),
        number=n,
        subject=f"Hello {n}",
        body="Hello",
    ),
    Dashboard: lambda n: Dashboard.objects.create(name=f"Dashboard {n}"),
    EmailTemplate: lambda n: EmailTemplate.objects.create(name=f"Mail {n}", subject="Hello", body="Hello"),
    Campaign: lambda n: Campaign.objects.create(name=f"Campaign {n}", subject="Hello", body="Hello"),
    GenieScheduler: make_run,
    DataApp: lambda n: DataApp.objects.create(
        kind="lead-source", name=f"Source {n}", url="https://example.org", api_key=SECRET
    ),
    Enrichment: lambda n: Enrichment.objects.create(run=make_run(n), until=timezone.now(), total=3, processed=n % 4),
    EnrichmentProposal: lambda n: EnrichmentProposal.objects.create(
        contact=ContactFactory(), field="name", value=f"Ann {n}", text=f"Ann {n}", source="Knows All"
    ),
    LeadGeneration: lambda n: LeadGeneration.objects.create(
        prompt=f"Gardeners {n}", ai_type="ai-offline", count=5, total=3, processed=n % 4
    ),
    GenieSettings: lambda n: in_other_company(lambda: GenieSettings.objects.create(window_days=[1, 2])),
    SendJob: make_job,
    SendJobTransition: lambda n: SendJobTransition.objects.create(
        send_job=make_job(n), to_status="draft", reason="planned"
    ),
    SuppressionImport: lambda n: SuppressionImport.objects.create(file=make_file(n), total=3, processed=n % 4),
    PersonalMail: lambda n: PersonalMail.objects.create(
        contact=ContactFactory(), subject=f"Hello {n}", text="Shall we?", send_job=make_job(n)
    ),
    RecipientQuota: lambda n: RecipientQuota.objects.create(scope=f"d{n}.example", tokens=n, filled_at=timezone.now()),
    Suppression: lambda n: Suppression.objects.create(email=f"gone{n}@example.org", reason=Suppression.Reason.MANUAL),
}
