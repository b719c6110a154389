"""Emails of the demo's member to one person: a short thread, and a draft."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

from django.utils import timezone

from accounts.models import Member, User
from config.local.demo.outreach import add_sent
from crm.models import Contact, LeadActivity
from outreach.models import InboundMessage, PersonalMail, SendJob, Smtp

SIGNATURE = "Dana Moreau\nLeadwright Coffee"
ASKED = "Hello,\n\nit was good to meet you at the fair. Shall I bring samples of the dark roast on Thursday?"
ANSWER = "Thursday at ten is fine. Please bring the decaf, too."
DRAFT = "Hello {{contact.firstName}},\n\nthank you for Thursday. Here is our offer:"


def create_emails(member: Member) -> None:
    """Create an email that a contact has answered, and a draft of the next one."""
    sender = Smtp.objects.order_by("created_at", "pk").first()
    contact = Contact.objects.exclude(email=None).filter(unsubscribed_at=None, replied_at=None).order_by("pk").first()
    if sender is None or contact is None:
        return
    sent_at = timezone.now() - timedelta(days=2, hours=3)
    answered_at = sent_at + timedelta(hours=4)
    job = SendJob(
        company_id=sender.company_id,
        personal=True,
        contact=contact,
        smtp=sender,
        status=SendJob.Status.SENT,
        recipient=contact.email or "",
        subject="Samples on Thursday?",
        text=f"{ASKED}\n\n{SIGNATURE}\n",
        sending_at=sent_at,
        sent_at=sent_at,
        created_by=member,
    )
    add_sent([job])
    reply = InboundMessage.objects.create(
        kind=InboundMessage.Kind.REPLY,
        smtp=sender,
        uid_validity=2,
        uid=1,
        digest=sha256(job.pk.encode()).hexdigest(),
        from_email=contact.email or "",
        from_name=contact.name,
        subject=f"Re: {job.subject}",
        text=ANSWER,
        quoted="\n".join(f"> {line}" for line in ASKED.splitlines()),
        send_job=job,
        contact=contact,
        matched_by="in_reply_to",
        received_at=answered_at,
    )
    Contact.objects.filter(pk=contact.pk).update(replied_at=answered_at)
    for event, id, subject, at, by in (
        ("sent", job.pk, job.subject, sent_at, member),
        ("replied", reply.pk, reply.subject, answered_at, None),
    ):
        details = {"event": event, "message": id, "subject": subject}
        LeadActivity.objects.create(
            kind=LeadActivity.Kind.MAIL, contact=contact, member=by, details=details, happened_at=at
        )
    words = {"contact": contact, "smtp": sender, "signature": SIGNATURE, "created_by": member, "updated_by": member}
    PersonalMail.objects.create(**words, subject=job.subject, text=ASKED, send_job=job)
    PersonalMail.objects.create(**words, subject=f"Re: {job.subject}", text=DRAFT, answers_mail=reply)
    User.objects.filter(pk=member.user_id).update(signature=SIGNATURE)
