"""One maker per model that the back office shows: `make(n)` writes the n-th row of the active company, secrets
included."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db import models
from django.utils import timezone

from accounts.api_keys.services import add_key
from accounts.models import (
    ApiKey,
    Company,
    CompanySettings,
    InviteLog,
    LoginLog,
    Mail,
    Member,
    Notification,
    PartnerProgram,
    ReferProgram,
    Referral,
    RefreshToken,
    Reward,
    RewardTransition,
    Role,
    ServerLog,
    StaffVisit,
    StaffVisitPage,
    User,
)
from billing.models import (
    AddOn,
    Attempt,
    BillingDetails,
    Charge,
    Coupon,
    CreditNote,
    Currency,
    Difference,
    Dispute,
    DisputeWatch,
    Dunning,
    GatewayAccount,
    GatewayEvent,
    Invoice,
    InvoiceLine,
    InvoiceSeries,
    MeterPeriod,
    MethodSetup,
    Payment,
    PaymentMethod,
    Plan,
    PlanVersion,
    Posting,
    Reconciliation,
    Redemption,
    Refund,
    Seller,
    Subscription,
    SubscriptionChange,
    SubscriptionItem,
    TaxRate,
    Transaction,
    UsageEvent,
)
from core.events import emit
from core.ids import new_id
from core.models import Event, EventDelivery, IdempotencyKey, ResponseMessage, TaskSchedule
from core.tenancy import company_scope
from crm.models import (
    Bucket,
    BulkJob,
    CallLog,
    Contact,
    ContactCategory,
    CustomField,
    CustomSection,
    DuplicateDismissal,
    Export,
    File,
    FollowUp,
    Import,
    ImportRowError,
    Lead,
    LeadActivity,
    Meeting,
    Merge,
    ProductService,
    SavedView,
    Segment,
    SegmentRecord,
    Tag,
    Team,
    TeamMember,
    VideoSettings,
    Webhook,
    WebhookDelivery,
)
from outreach.models import (
    AiApp,
    AiBudget,
    AiCaps,
    AiUsage,
    AnswerTime,
    Booking,
    BookingPage,
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
    ManualChatbot,
    MemberHours,
    Ocr,
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
    WidgetVisitor,
)
from tests.accounts.programs.helpers import bring, make_partner, make_referrer, rewarded
from tests.kit.factories import (
    CompanyFactory,
    ContactCategoryFactory,
    ContactFactory,
    LeadFactory,
    MemberFactory,
    RoleFactory,
    SmtpFactory,
    SubscriptionFactory,
    TagFactory,
    UserFactory,
)
from workflows.models import (
    NodeCount,
    PlaceNotice,
    QueuedEvent,
    RunApproval,
    RunCall,
    RunInbox,
    RunListener,
    RunReady,
    RunSkip,
    RunStep,
    RunTimer,
    ScheduleFiring,
    SliceMark,
    StartBucket,
    Workflow,
    WorkflowInterest,
    WorkflowRun,
    WorkflowSecret,
    WorkflowTrigger,
    WorkflowVersion,
)

SECRET = "zq-top-secret-zq"
HASHES = "abad1dea" * 8


def _event(n: int) -> Event:
    event_id = new_id()
    emit("contact.created", [event_id])
    return Event.objects.get(object_id=event_id)


def _file(n: int) -> File:
    return File.objects.create(
        name=f"people{n}.csv", size=1000 + n, mime="text/csv", hashes={"md5": "0" * 32}, path=f"files/{n}"
    )


def _import(n: int) -> Import:
    return Import.objects.create(
        file=_file(n), total=100, processed=n, created=n, headers=["Name"], status=Import.Status.PAUSED
    )


def _run(n: int) -> GenieScheduler:
    return GenieScheduler.objects.create(name=f"Run {n}", ai_type="offline", total=3, processed=n % 4)


def _job(n: int) -> SendJob:
    return SendJob.objects.create(
        run=_run(n), contact=ContactFactory(), smtp=_smtp(n), subject=f"Hello {n}", status=SendJob.Status.DRAFT
    )


def _chat_app(n: int) -> ChatApp:
    return ChatApp.objects.create(
        name=f"Number {n}", phone_number_id=new_id(), waba_id="2002", access_token=SECRET, app_secret=SECRET
    )


def _social_app(n: int) -> SocialAApp:
    return SocialAApp.objects.create(name=f"App {n}", app_id=f"{n}", app_secret=SECRET, user_token=SECRET)


def _form(n: int) -> Form:
    return Form.objects.create(name=f"Form {n} {new_id()}", token=new_id())


def _conversation(n: int) -> Conversation:
    return Conversation.objects.create(chat_app=_chat_app(n), contact=ContactFactory(), address=f"+49151{n:08}")


def _mail_app(n: int) -> MailApp:
    keys = {"api_key": SECRET, "secret_key": SECRET, "signing_key": SECRET, "access_token": SECRET}
    return MailApp.objects.create(letter="a", vendor="brevo", from_email=f"m{n}@example.com", from_name="M", **keys)


def _smtp(n: int) -> Smtp:
    return SmtpFactory(name=f"Sender {n}", password=SECRET)


def _token(n: int) -> RefreshToken:
    return RefreshToken.objects.create(
        user=UserFactory(),
        token_hash=HASHES[:56] + f"{n:08d}",
        family=new_id(),
        session_version=1,
        expires_at=timezone.now(),
    )


def _visit(n: int) -> StaffVisit:
    return StaffVisit.objects.create(
        staff=UserFactory(is_staff=True), reason=f"Ticket {n}: no rows", expires_at=timezone.now()
    )


def _workflow(n: int) -> Workflow:
    return Workflow.objects.create(name=f"Workflow {new_id()}")


def _workflow_version(n: int) -> WorkflowVersion:
    graph = {"triggerEventType": "manual", "config": {}, "nodes": [], "edges": [], "schedule": None}
    return WorkflowVersion.objects.create(workflow=_workflow(n), number=n, graph=graph)


def _node_count(n: int) -> NodeCount:
    version = _workflow_version(n)
    return NodeCount.objects.create(
        workflow=version.workflow, version=version, node="a", hour=timezone.now(), outcome="out", number=n
    )


def _workflow_run(n: int) -> WorkflowRun:
    version = _workflow_version(n)
    return WorkflowRun.objects.create(workflow=version.workflow, version=version, entry_key=f"manual:{n}")


def _team(n: int) -> Team:
    team = Team.objects.create(name=f"Team {n}")
    TeamMember.objects.create(team=team, member=MemberFactory())
    return team


def _segment(n: int) -> Segment:
    segment = Segment.objects.create(name=f"Segment {n}", kind=Segment.Kind.STATIC)
    SegmentRecord.objects.create(segment=segment, contact=ContactFactory())
    return segment


def _webhook(n: int) -> Webhook:
    return Webhook.objects.create(
        url=f"https://example.org/{SECRET}",
        description=f"Webhook {n}",
        kinds=["*"],
        secret=SECRET,
        headers=SECRET,
    )


def _delivery(n: int) -> WebhookDelivery:
    values = {"event_id": new_id(), "object_id": new_id(), "kind": "contact.created", "sequence": n}
    return WebhookDelivery.objects.create(webhook=_webhook(n), object_sequence=1, body=SECRET, **values)


def _meeting(n: int) -> Meeting:
    start = timezone.now() + timedelta(days=n)
    values = {"starts_at": start, "ends_at": start + timedelta(hours=1), "timezone": "UTC"}
    return Meeting.objects.create(title=f"Meeting {n}", organizer=MemberFactory(), **values)


def _booking_page(n: int) -> BookingPage:
    return BookingPage.objects.create(name=f"Intro {n} {new_id()}", token=new_id(), member=MemberFactory())


def _booking(n: int) -> Booking:
    page = _booking_page(n)
    values = {"name": f"Visitor {n}", "email": f"visitor{n}@example.org", "answers": {"n": f"{n}"}}
    return Booking.objects.create(
        page=page, meeting=_meeting(n), member=page.member, sent_id=new_id(), token=new_id(), **values
    )


def _calendar(n: int) -> CalendarConnection:
    tokens = {"api_key": SECRET, "access_token": SECRET}
    return CalendarConnection.objects.create(
        member=MemberFactory(), email=f"c{n}@example.org", is_active=True, **tokens
    )


def _invoice(n: int) -> Invoice:
    subscription = Subscription.objects.first() or SubscriptionFactory()
    return Invoice.objects.create(
        subscription=subscription, currency="USD", decimals=2, subtotal_minor=n, total_minor=n
    )


def _payment(n: int) -> Payment:
    invoice = _invoice(n)
    return Payment.objects.create(
        number=f"P{new_id()[-8:]}",
        subscription_id=invoice.subscription_id,
        invoice=invoice,
        status="paid",
        amount_minor=n,
        currency="USD",
        expires_at=timezone.now(),
    )


def _attempt(n: int) -> Attempt:
    return Attempt.objects.create(payment=_payment(n), letter="a", adapter="stripe", status="paid")


def _credit_note(n: int) -> CreditNote:
    return CreditNote.objects.create(
        invoice=_invoice(n),
        number=f"CN-{new_id()[-8:]}",
        amount_minor=n,
        currency="USD",
        reason=f"Returned {n}",
        issued_on=timezone.now().date(),
    )


def _coupon(n: int) -> Coupon:
    return Coupon.objects.create(code=f"CODE{new_id()[-8:].upper()}", percent=10)


def _month(n: int) -> MeterPeriod:
    return MeterPeriod.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        meter=f"meter-{n}",
        starts_at=timezone.now() - timedelta(days=n),
        ends_at=timezone.now() + timedelta(days=n),
        allowed=n,
        included=n,
    )


def _add_on(n: int) -> AddOn:
    return AddOn.objects.create(name=f"Add-on {new_id()[-8:]}", order=n, is_public=False)


def _version(n: int) -> PlanVersion:
    plan = Plan.objects.create(name=f"Kept {new_id()[-8:]}")
    return PlanVersion.objects.create(plan=plan, min_seats=n + 1)


def _gateway(n: int) -> GatewayAccount:
    """Return the n-th account; there are five letters."""
    values = {"adapter": "stripe", "secret_key": SECRET, "webhook_secret": SECRET}
    return GatewayAccount.objects.get_or_create(letter="abcde"[n % 5], defaults=values)[0]


def _reconciliation(n: int) -> Reconciliation:
    times = {"since": timezone.now() - timedelta(days=n + 1), "until": timezone.now()}
    return Reconciliation.objects.create(account=_gateway(n), status="done", payments=n, **times)


def _posting(n: int) -> Posting:
    lines = [
        Posting(tx=f"inv:{n}", leg=leg, account="x", amount_minor=sum, currency="USD") for leg, sum in ((0, 1), (1, -1))
    ]
    return Posting.objects.bulk_create(lines)[0]


def _transaction(n: int) -> Transaction:
    payment = _payment(n)
    return Transaction.objects.create(
        kind="payment", amount_minor=n, currency="USD", by="bank", payment=payment, invoice_id=payment.invoice_id
    )


def _in_other_company(make: Callable[[], Any]) -> Any:
    """For models of which a company has one: each row in a company of its own."""
    with company_scope(CompanyFactory().pk):
        return make()


MAKERS: dict[type[models.Model], Callable[[int], models.Model]] = {
    ResponseMessage: lambda n: ResponseMessage.objects.create(name=f"Made{n}_400", status=400, text=f"Made {n}"),
    TaskSchedule: lambda n: TaskSchedule.objects.create(name=f"task-{n}", error="It broke"),
    Event: _event,
    EventDelivery: lambda n: EventDelivery.objects.create(
        consumer="nobody", event=_event(n), due_at=timezone.now(), status="parked", error="It broke"
    ),
    IdempotencyKey: lambda n: IdempotencyKey.objects.create(
        caller=new_id(), key=f"order-{n}", request=f"{n:064x}", operation=f"POST /tag/{n}", status=201, answer=SECRET
    ),
    Group: lambda n: Group.objects.create(name=f"Group {n}"),
    User: lambda n: UserFactory(password=SECRET),
    Company: lambda n: CompanyFactory(),
    InviteLog: lambda n: InviteLog.objects.create(
        member=MemberFactory(), email=f"new{n}@example.org", action=InviteLog.Action.INVITED
    ),
    Role: lambda n: RoleFactory(permission={"contact": {"GET": True}}),
    Member: lambda n: MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory()),
    ApiKey: lambda n: add_key(f"{SECRET}{n:04d}", member_id=MemberFactory().pk),
    RefreshToken: _token,
    Mail: lambda n: Mail.objects.create(
        kind="invite", to=f"guest{n}@example.org", subject=f"Join {n}", text=SECRET, html=SECRET
    ),
    ServerLog: lambda n: ServerLog.objects.create(
        auth_path="key",
        method="GET",
        route="/contact",
        path=f"/contact/{n}",
        status=200,
        duration_ms=n,
        user=UserFactory(),
        member=MemberFactory(),
    ),
    Notification: lambda n: Notification.objects.create(
        member=MemberFactory(), kind="import.finished", text=f"Import {n} is done"
    ),
    LoginLog: lambda n: LoginLog.objects.create(
        user=UserFactory(), email=f"user{n}@example.org", status=LoginLog.Status.FAILED
    ),
    StaffVisit: _visit,
    StaffVisitPage: lambda n: StaffVisitPage.objects.create(visit=_visit(n), path=f"/contact/{n}"),
    PartnerProgram: lambda n: make_partner(),
    ReferProgram: lambda n: make_referrer(),
    CompanySettings: lambda n: _in_other_company(lambda: CompanySettings.objects.create(app_name=f"App {n}")),
    Referral: lambda n: bring(make_referrer().code),
    Reward: lambda n: rewarded(),
    RewardTransition: lambda n: RewardTransition.objects.get(reward=rewarded()),
    Plan: lambda n: Plan.objects.create(name=f"Plan {n}", modules=["contact"], limits={"contact": 10}),
    Currency: lambda n: Currency.objects.create(code=f"{n:03d}", name=f"Currency {n}", symbol="X"),
    Subscription: lambda n: _in_other_company(SubscriptionFactory),
    SubscriptionChange: lambda n: SubscriptionChange.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        action="changed",
        before={"seats": n},
        after={"seats": n + 1},
    ),
    Contact: lambda n: ContactFactory(category=ContactCategoryFactory()),
    Lead: lambda n: LeadFactory(contact__name=f"Person {n}"),
    ContactCategory: lambda n: ContactCategoryFactory(),
    Tag: lambda n: TagFactory(),
    LeadActivity: lambda n: LeadActivity.objects.create(
        kind="note",
        lead=LeadFactory(),
        contact=ContactFactory(),
        member=MemberFactory(),
        notes=f"Note {n}",
        happened_at=timezone.now(),
    ),
    CallLog: lambda n: CallLog.objects.create(
        lead=LeadFactory(),
        contact=ContactFactory(),
        member=MemberFactory(),
        number=f"+49170{1000000 + n}",
        started_at=timezone.now(),
    ),
    FollowUp: lambda n: FollowUp.objects.create(
        lead=LeadFactory(), title=f"Call {n}", due_at=timezone.now(), assignee=MemberFactory()
    ),
    Meeting: _meeting,
    Team: _team,
    Segment: _segment,
    SavedView: lambda n: SavedView.objects.create(name=f"View {n}", resource="contact", created_by=MemberFactory()),
    ProductService: lambda n: ProductService.objects.create(name=f"Product {n}", price=n, custom={"grade": "A"}),
    CustomSection: lambda n: CustomSection.objects.create(name=f"Section {n}", order=n),
    CustomField: lambda n: CustomField.objects.create(name=f"Field {n}", field_type="text", unique_field_id=new_id()),
    File: _file,
    Import: _import,
    Merge: lambda n: Merge.objects.create(
        panel="contact", winner_id=new_id(), loser_ids=[new_id()], undo_until=timezone.now()
    ),
    DuplicateDismissal: lambda n: DuplicateDismissal.objects.create(
        panel="contact", first_id=new_id(), second_id=new_id()
    ),
    BulkJob: lambda n: BulkJob.objects.create(
        action="update", panel="contact", total=100, processed=n, status=BulkJob.Status.RUNNING
    ),
    Export: lambda n: Export.objects.create(resource="contact", total=100, processed=n, status=Export.Status.RUNNING),
    ImportRowError: lambda n: ImportRowError.objects.create(
        job=_import(n), row=n + 2, column="Email", code="Bad", message="no address"
    ),
    Smtp: _smtp,
    DkimKey: lambda n: DkimKey.objects.create(
        domain=f"d{n}.example", selector="lw-1", private_key=SECRET, public_record="v=DKIM1; p="
    ),
    DomainTracking: lambda n: DomainTracking.objects.create(name=f"c{n}.example", proof="x"),
    TrackingEvent: lambda n: TrackingEvent.objects.create(
        send_job=_job(n), kind="opened", link=0, visitor=f"{n}", happened_at=timezone.now()
    ),
    SenderCheck: lambda n: SenderCheck.objects.create(smtp=_smtp(n), domain=f"d{n}.example", light="green"),
    ImapMailbox: lambda n: ImapMailbox.objects.create(
        smtp=_smtp(n), host="127.0.0.1", username=f"box{n}", password=SECRET, folders=["INBOX"]
    ),
    InboundMessage: lambda n: InboundMessage.objects.create(
        kind="reply", uid_validity=1, uid=n, digest=f"{n:064}", subject=f"Re: Hello {n}", received_at=timezone.now()
    ),
    Bucket: lambda n: Bucket.objects.create(
        name=f"box-{n}", endpoint="http://127.0.0.1:9", region="eu-west-1", accesskey=SECRET, secretkey=SECRET
    ),
    MailApp: _mail_app,
    VendorLogin: lambda n: VendorLogin.objects.create(
        member=MemberFactory(), letter="c", state_hash=f"{n:064}", ends_at=timezone.now()
    ),
    MailEvent: lambda n: MailEvent.objects.create(
        app=_mail_app(n), dedupe_key=f"{n:064}", kind="delivered", happened_at=timezone.now(), raw={"n": n}
    ),
    ChatApp: _chat_app,
    ChatTemplate: lambda n: ChatTemplate.objects.create(
        app=_chat_app(n), name=f"hello_{n}", language="en", components=[{"type": "BODY", "text": f"Hello {n}"}]
    ),
    ChatOptOut: lambda n: ChatOptOut.objects.create(phone=f"+49151{n:08}"),
    ChatEvent: lambda n: ChatEvent.objects.create(
        app=_chat_app(n), dedupe_key=f"{n:064}", kind="status", happened_at=timezone.now(), data={"n": n}
    ),
    SocialAApp: _social_app,
    SocialPage: lambda n: SocialPage.objects.create(app=_social_app(n), page_id=f"{n}", name=f"Page {n}", token=SECRET),
    VideoSettings: lambda n: _in_other_company(
        lambda: VideoSettings.objects.create(link_template=f"https://meet.example.org/{n}/{{random}}")
    ),
    BookingPage: _booking_page,
    Booking: _booking,
    MemberHours: lambda n: MemberHours.objects.create(member=MemberFactory(), timezone="Europe/Berlin"),
    CalendarConnection: _calendar,
    CalendarEvent: lambda n: CalendarEvent.objects.create(connection=_calendar(n), meeting=_meeting(n), status="done"),
    Form: _form,
    FormLead: lambda n: FormLead.objects.create(
        form=_form(n), leadgen_id=f"{n}", answers={"n": f"{n}"}, submitted_at=timezone.now(), status="done"
    ),
    Conversation: _conversation,
    ConversationMessage: lambda n: ConversationMessage.objects.create(
        conversation=_conversation(n),
        direction="in",
        author="contact",
        text=f"Hello {n}",
        external_id=f"in.{n}",
        happened_at=timezone.now(),
    ),
    AnswerTime: lambda n: AnswerTime.objects.create(team=Team.objects.create(name=f"Answers {n}"), first_minutes=n),
    CannedAnswer: lambda n: CannedAnswer.objects.create(name=f"Hours {n}", text="We are open."),
    ChatWidget: lambda n: ChatWidget.objects.create(name=f"Site {n}"),
    WidgetVisitor: lambda n: WidgetVisitor.objects.create(
        widget=ChatWidget.objects.create(name=f"Visited site {n}"), name=f"Visitor {n}", seen_at=timezone.now()
    ),
    ManualChatbot: lambda n: ManualChatbot.objects.create(name=f"Bot {n}", normalized_name=f"bot {n}"),
    Ocr: lambda n: Ocr.objects.create(name="ocr-space", key=SECRET, confidence=n / 100),
    CardScan: lambda n: CardScan.objects.create(file=_file(n)),
    AiApp: lambda n: AiApp.objects.create(provider="offline", name=f"App {n}", api_key=SECRET),
    AiCaps: lambda n: _in_other_company(lambda: AiCaps.objects.create(monthly_token_cap=1000)),
    AiBudget: lambda n: AiBudget.objects.create(key=f"company:2026-{n:02}", tokens_used=n),
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
    GenieScheduler: _run,
    DataApp: lambda n: DataApp.objects.create(
        kind="lead-source", name=f"Source {n}", url="https://example.org", api_key=SECRET
    ),
    Enrichment: lambda n: Enrichment.objects.create(run=_run(n), until=timezone.now(), total=3, processed=n % 4),
    EnrichmentProposal: lambda n: EnrichmentProposal.objects.create(
        contact=ContactFactory(), field="name", value=f"Ann {n}", text=f"Ann {n}", source="Knows All"
    ),
    LeadGeneration: lambda n: LeadGeneration.objects.create(
        prompt=f"Gardeners {n}", ai_type="ai-offline", count=5, total=3, processed=n % 4
    ),
    GenieSettings: lambda n: _in_other_company(lambda: GenieSettings.objects.create(window_days=[1, 2])),
    SendJob: _job,
    SendJobTransition: lambda n: SendJobTransition.objects.create(
        send_job=_job(n), to_status="draft", reason="planned"
    ),
    SuppressionImport: lambda n: SuppressionImport.objects.create(file=_file(n), total=3, processed=n % 4),
    RecipientQuota: lambda n: RecipientQuota.objects.create(scope=f"d{n}.example", tokens=n, filled_at=timezone.now()),
    Suppression: lambda n: Suppression.objects.create(email=f"gone{n}@example.org", reason=Suppression.Reason.MANUAL),
    Workflow: _workflow,
    WorkflowVersion: _workflow_version,
    WorkflowTrigger: lambda n: WorkflowTrigger.objects.create(workflow=_workflow(n), kind="contact.created"),
    WorkflowRun: _workflow_run,
    NodeCount: _node_count,
    Webhook: _webhook,
    WebhookDelivery: _delivery,
    RunReady: lambda n: RunReady.objects.create(run=_workflow_run(n)),
    RunTimer: lambda n: RunTimer.objects.create(run=_workflow_run(n), token="1", due_at=timezone.now()),
    RunInbox: lambda n: RunInbox.objects.create(run=_workflow_run(n), token="1", epoch=0, kind="event"),
    RunCall: lambda n: RunCall.objects.create(
        run=_workflow_run(n), key=str(n), node="a", token="1", epoch=0, kind="http", host="x", keyed=True, request={}
    ),
    RunApproval: lambda n: RunApproval.objects.create(
        run=_workflow_run(n), node="a", token="1", epoch=0, text="Go on?", until=timezone.now()
    ),
    RunListener: lambda n: RunListener.objects.create(
        run=_workflow_run(n), node="a", token="1", epoch=0, kind="contact.updated", object_id=""
    ),
    WorkflowInterest: lambda n: WorkflowInterest.objects.create(workflow=_workflow(n), kind="contact.updated"),
    WorkflowSecret: lambda n: WorkflowSecret.objects.create(name=f"Secret {n}", host="a.example", value=SECRET),
    RunStep: lambda n: RunStep.objects.create(run=_workflow_run(n), node="start", visit=n, status="done"),
    RunSkip: lambda n: RunSkip.objects.create(workflow=_workflow(n), day=timezone.now().date(), reason="filter"),
    ScheduleFiring: lambda n: ScheduleFiring.objects.create(workflow=_workflow(n), due_at=timezone.now()),
    StartBucket: lambda n: StartBucket.objects.create(
        key=new_id(), next_at=timezone.now(), month=timezone.now().date().replace(day=1)
    ),
    PlaceNotice: lambda n: PlaceNotice.objects.create(workflow=_workflow(n)),
    QueuedEvent: lambda n: QueuedEvent.objects.create(event_id=new_id()),
    SliceMark: lambda n: SliceMark.objects.create(runs=[new_id()]),
    Dunning: lambda n: Dunning.objects.create(payment=_payment(n), tries=n, reason=f"code {n}"),
    GatewayAccount: _gateway,
    GatewayEvent: lambda n: GatewayEvent.objects.create(account=_gateway(n), event_id=f"evt_{n}"),
    Invoice: _invoice,
    InvoiceLine: lambda n: InvoiceLine.objects.create(
        invoice=_invoice(n), position=1, text=f"Seats {n}", unit_minor=n, amount_minor=n
    ),
    InvoiceSeries: lambda n: InvoiceSeries.objects.create(name=f"INV-{n}", last=n),
    CreditNote: _credit_note,
    Seller: lambda n: Seller.objects.get_or_create(defaults={"name": "Seller"})[0],
    Payment: _payment,
    Dispute: lambda n: Dispute.objects.create(
        attempt=_attempt(n), gateway_id=f"dp_{n}", amount_minor=n + 1, currency="USD", reason=f"fraud {n}"
    ),
    DisputeWatch: lambda n: DisputeWatch.objects.create(attempt=_attempt(n), status="idle", error=f"Slow {n}"),
    MethodSetup: lambda n: MethodSetup.objects.create(
        letter="a", adapter="stripe", status="failed", currency="USD", gateway_id=f"cs_{n}", reason=f"Nobody {n}"
    ),
    Reconciliation: _reconciliation,
    Difference: lambda n: Difference.objects.create(
        reconciliation=_reconciliation(n),
        account=_gateway(n),
        kind="strange",
        what="payment",
        gateway_ref=f"pi_{n}_{new_id()}",
        amount_there=n,
        currency="USD",
    ),
    Attempt: _attempt,
    PaymentMethod: lambda n: PaymentMethod.objects.create(
        letter="a", adapter="stripe", token=SECRET, token_hash=f"{n:064}", label=f"Visa {n}"
    ),
    Refund: lambda n: Refund.objects.create(
        attempt=_attempt(n), credit_note=_credit_note(n), amount_minor=n + 1, currency="USD"
    ),
    Transaction: _transaction,
    Posting: _posting,
    Coupon: _coupon,
    AddOn: _add_on,
    SubscriptionItem: lambda n: SubscriptionItem.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        add_on=_add_on(n),
        quantity=n + 1,
        unit_amount=n,
    ),
    Charge: lambda n: Charge.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        kind="metered",
        description=f"Messages {n}",
        amount_minor=n,
        currency="USD",
        source=f"meter:{new_id()}",
    ),
    MeterPeriod: _month,
    UsageEvent: lambda n: UsageEvent.objects.create(period=_month(n), meter=f"meter-{n}", source=new_id()),
    PlanVersion: _version,
    Redemption: lambda n: Redemption.objects.create(coupon=_coupon(n), payment=_payment(n), state="redeemed"),
    TaxRate: lambda n: TaxRate.objects.create(
        name="VAT", country="DE", percent=19, valid_from=timezone.now().date() - timedelta(days=n)
    ),
    BillingDetails: lambda n: _in_other_company(lambda: BillingDetails.objects.create(name=f"Buyer {n}")),
}
