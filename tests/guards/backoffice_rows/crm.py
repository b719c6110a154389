"""Makers of rows of crm."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from core.ids import new_id
from crm.models import (
    Bucket,
    BulkJob,
    CallLog,
    Comment,
    CommentMention,
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
    LostReason,
    Meeting,
    Merge,
    Organization,
    Pipeline,
    ProductService,
    SavedView,
    Segment,
    SegmentRecord,
    Stage,
    Tag,
    Team,
    TeamMember,
    VideoSettings,
    Webhook,
    WebhookDelivery,
)
from tests.guards.backoffice_rows.shared import SECRET, Makers, in_other_company
from tests.kit.factories import (
    ContactCategoryFactory,
    ContactFactory,
    LeadFactory,
    MemberFactory,
    OrganizationFactory,
    TagFactory,
)


def make_file(n: int) -> File:
    return File.objects.create(
        name=f"people{n}.csv", size=1000 + n, mime="text/csv", hashes={"md5": "0" * 32}, path=f"files/{n}"
    )


def make_import(n: int) -> Import:
    return Import.objects.create(
        file=make_file(n), total=100, processed=n, created=n, headers=["Name"], status=Import.Status.PAUSED
    )


def make_team(n: int) -> Team:
    team = Team.objects.create(name=f"Team {new_id()[-8:]}")
    TeamMember.objects.create(team=team, member=MemberFactory())
    return team


def make_segment(n: int) -> Segment:
    segment = Segment.objects.create(name=f"Segment {n}", kind=Segment.Kind.STATIC)
    SegmentRecord.objects.create(segment=segment, contact=ContactFactory())
    return segment


def make_webhook(n: int) -> Webhook:
    return Webhook.objects.create(
        url=f"https://example.org/{SECRET}",
        description=f"Webhook {n}",
        kinds=["*"],
        secret=SECRET,
        headers=SECRET,
    )


def make_delivery(n: int) -> WebhookDelivery:
    values = {"event_id": new_id(), "object_id": new_id(), "kind": "contact.created", "sequence": n}
    return WebhookDelivery.objects.create(webhook=make_webhook(n), object_sequence=1, body=SECRET, **values)


def make_meeting(n: int) -> Meeting:
    start = timezone.now() + timedelta(days=n)
    values = {"starts_at": start, "ends_at": start + timedelta(hours=1), "timezone": "UTC"}
    return Meeting.objects.create(title=f"Meeting {n}", organizer=MemberFactory(), **values)


def make_pipeline(n: int) -> Pipeline:
    pipeline = Pipeline.objects.create(name=f"Pipeline {n}")
    Stage.objects.create(pipeline=pipeline, name="Asked", position=0, probability=20)
    return pipeline


ROWS: Makers = {
    Contact: lambda n: ContactFactory(category=ContactCategoryFactory()),
    Organization: lambda n: OrganizationFactory(),
    Lead: lambda n: LeadFactory(contact__name=f"Person {n}"),
    ContactCategory: lambda n: ContactCategoryFactory(),
    Tag: lambda n: TagFactory(),
    Pipeline: lambda n: make_pipeline(n),
    LostReason: lambda n: LostReason.objects.create(name=f"Reason {n}"),
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
    Comment: lambda n: Comment.objects.create(
        contact=ContactFactory(name=f"Person {n}"), text=f"Comment {n}", created_by=MemberFactory()
    ),
    CommentMention: lambda n: CommentMention.objects.create(
        comment=Comment.objects.create(contact=ContactFactory(), text=f"Comment {n}"),
        member=MemberFactory(),
        label=f"Ann {n}",
    ),
    FollowUp: lambda n: FollowUp.objects.create(
        lead=LeadFactory(), title=f"Call {n}", due_at=timezone.now(), assignee=MemberFactory()
    ),
    Meeting: make_meeting,
    Team: make_team,
    Segment: make_segment,
    SavedView: lambda n: SavedView.objects.create(name=f"View {n}", resource="contact", created_by=MemberFactory()),
    ProductService: lambda n: ProductService.objects.create(name=f"Product {n}", price=n, custom={"grade": "A"}),
    CustomSection: lambda n: CustomSection.objects.create(name=f"Section {n}", order=n),
    CustomField: lambda n: CustomField.objects.create(name=f"Field {n}", field_type="text", unique_field_id=new_id()),
    File: make_file,
    Import: make_import,
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
        job=make_import(n), row=n + 2, column="Email", code="Bad", message="no address"
    ),
    Bucket: lambda n: Bucket.objects.create(
        name=f"box-{n}", endpoint="http://127.0.0.1:9", region="eu-west-1", accesskey=SECRET, secretkey=SECRET
    ),
    VideoSettings: lambda n: in_other_company(
        lambda: VideoSettings.objects.create(link_template=f"https://meet.example.org/{n}/{{random}}")
    ),
    Webhook: make_webhook,
    WebhookDelivery: make_delivery,
}
