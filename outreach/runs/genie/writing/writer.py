"""Writes the messages of a run by its AI app, outside of any transaction: new ones, and those that wait for the app.

A message waits (status planned, without content) when a cap is reached or the app has an error. It is retried when that
may have ended, or when a cap or an app has been changed. It fails when its own content could not be created.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Min, QuerySet
from django.utils import timezone

from core.jobs import notify_workers, save_progress
from core.types import Values
from crm.models import Contact
from outreach.chat.chat_templates.frozen import of_contact
from outreach.chat.chat_templates.values import Filled
from outreach.connections.ai.briefs import ContactBriefs, company_brief
from outreach.connections.ai.evidence import evidence_of, is_unproved, of_template
from outreach.connections.ai.languages import language_name, language_of
from outreach.connections.ai.models import AiUsage
from outreach.connections.ai.providers import (
    AiProvider,
    CompanyBrief,
    ComposeBrief,
    ContactBrief,
    Draft,
    ProviderError,
    SentMessage,
)
from outreach.connections.ai.services import provider_of
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.approving.hashes import hash_of
from outreach.messaging.delivery.deciding.chats import by_chat
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.decision import Stop, backoff, decide
from outreach.messaging.delivery.deciding.reasons import MAX_ATTEMPTS, Reason
from outreach.messaging.delivery.limits.sending_hours import company_language
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.stopping.stops import stops_of
from outreach.messaging.delivery.tracking.links import sent_html
from outreach.messaging.delivery.tracking.utm import tag_links
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.rendering import ValueReader, render
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.runs.genie.cadence.steps import Step, steps_of
from outreach.runs.genie.cadence.threads import in_thread, reply_subject, sent_before
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.variants import awaits_winner, words_of

Status = SendJob.Status
WAITING_FOR = {"usage_limit": Reason.AI_LIMIT_REACHED, "busy": Reason.AI_BUSY}
"""Code of an app's error -> the reason why the message waits; any other code counts as an error of the app."""
WAITS = (*WAITING_FOR.values(), Reason.AI_TROUBLE)
TROUBLE_WAIT = timedelta(minutes=15)
"""Delay of messages whose app does not work at all."""
MAX_RETRY_DELAY = timedelta(hours=1)
"""Maximum delay before a run checks for messages that may be written again."""


@dataclass(frozen=True)
class Writer:
    """The writer of a run's messages."""

    run: GenieScheduler
    provider: AiProvider
    company: CompanyBrief
    contact_briefs: ContactBriefs
    language: str
    """The company's, by its code."""
    steps: Mapping[int, Step]
    """The follow-ups by their numbers."""

    @classmethod
    def of(cls, run: GenieScheduler) -> Writer:
        """Return the writer of a run. Raises ProviderError for an AI type that no longer exists."""
        provider = provider_of(run.ai_type, AiUsage.Purpose.COMPOSE, run)
        company = company_brief(run.sender.from_name if run.sender else "")
        return cls(run, provider, company, ContactBriefs.load(), company_language(), steps_of(run.outreach_cadence))

    def write(self, jobs: Sequence[SendJob], contacts: Sequence[Contact]) -> None:
        """Fill in the messages to these contacts; those that must not go get the reason instead. Stores nothing."""
        # Before the app is asked: a call about somebody who gets nothing costs money.
        stops = _stops(jobs, contacts, SendContext.load())
        kept = [(job, person) for job, person in zip(jobs, contacts, strict=True) if job.pk not in stops]
        # Those outside of a test have no words until the winner is known (campaigns.winners).
        for job, _ in kept:
            if awaits_winner(self.run.content, job):
                job.reason = Reason.AWAITING_WINNER
        kept = [(job, person) for job, person in kept if job.reason != Reason.AWAITING_WINNER]
        templated = [(job, contact, content) for job, contact in kept if (content := self._content(job)) is not None]
        self._fill_templates(templated)
        writable = [(job, contact) for job, contact in kept if self._content(job) is None]
        recipients = self.contact_briefs.briefs_for([contact for _, contact in writable])
        # By the messages that were really sent: an edited draft may say other things than the app wrote.
        threads = sent_before([job for job, _ in writable])
        briefs = [
            self._brief(job, recipient, threads.get(job.pk, ()))
            for (job, _), recipient in zip(writable, recipients, strict=True)
        ]
        for (job, _), brief, draft in zip(writable, briefs, self.provider.compose_many(briefs), strict=True):
            if isinstance(draft, Draft):
                draft = in_thread(draft, brief)
                job.evidence = evidence_of(draft, brief, every_sentence=self.provider.calls_a_model)
                _fill(self.run, job, draft)
            else:
                _put_off(job, draft)
        for job in jobs:
            if job.pk in stops:
                job.status = stops[job.pk].state
                job.reason = stops[job.pk].reason

    def _content(self, job: SendJob) -> Values | None:
        """Return the campaign's content for the message, or the template of its step, if it has one."""
        if job.variant is not None and job.step == 1:
            return words_of(self.run.content, job.variant)
        step = self.steps.get(job.step)
        return None if step is None else step.content

    def _subject(self, job: SendJob) -> str:
        """Return the subject that the step of the message has of its own."""
        step = self.steps.get(job.step)
        return "" if step is None else step.subject

    def _fill_templates(self, templated: Sequence[tuple[SendJob, Contact, Values]]) -> None:
        """Create the messages whose steps have a template. Their content is the company's own, and needs no proof."""
        if not templated:
            return
        reader = ValueReader.load()
        reader.employers.read(contact.organization_id for _, contact, _ in templated)
        mails = [(job, content) for job, _, content in templated if "chat" not in content]
        unnamed = [job for job, content in mails if not content["subject"] and not self._subject(job)]
        threads = sent_before(unnamed)
        chosen = _templates_of({job.pk: content["chat"] for job, _, content in templated if "chat" in content})
        for job, contact, content in templated:
            if "chat" in content:
                self._fill_chat(job, of_contact(content["chat"], contact, reader), chosen[job.pk])
                continue
            variables = content["variables"]
            compiled = Compiled(content["html"], content["text"], ())
            mail = render(content["subject"], compiled, variables, reader.of(contact, variables))
            # A gap in a sentence is worse than no message.
            if mail.missing:
                job.status = Status.FAILED
                job.reason = "variable_missing"
                job.error = ", ".join(mail.missing)
                continue
            subject = self._subject(job) or mail.subject or reply_subject(threads.get(job.pk, ()))
            rich = mail.html
            if tags := content.get("utm"):
                rich = tag_links(sent_html(mail.text, mail.html), tags)
            draft = Draft(subject=subject, text=mail.text, html=rich)
            job.attachments = content.get("attachments", [])
            job.evidence = of_template(draft)
            _fill(self.run, job, draft)

    def _fill_chat(self, job: SendJob, filled: Filled, template: str | None) -> None:
        """Make a message of a chat template, unless that was deleted since."""
        # The vendor knows templates by their ids, and refuses those that are gone.
        if template is None:
            job.status = Status.FAILED
            job.reason = "template_refused"
            job.error = "Its template was deleted."
        elif filled.missing:
            job.status = Status.FAILED
            job.reason = "variable_missing"
            job.error = ", ".join(filled.missing)
        else:
            job.chat = dict(filled.content)
            job.chat_template_id = template
            _fill(self.run, job, Draft(subject="", text=filled.text))

    def write_waiting(self) -> bool | None:
        """Write some of the run's messages that wait for the app and are due.

        Returns None when there are none, and False when the run was asked to stop meanwhile.
        """
        waiting = to_write(self.run).filter(due_at__lte=timezone.now())
        jobs = list(
            waiting.select_related("contact__category", "smtp", "mail_app", "chat_app").order_by("pk")[
                : self.provider.batch
            ]
        )
        if not jobs:
            return None
        self.write(jobs, [job.contact for job in jobs])
        # The texts were written outside of the transaction, since a model may take a minute.
        with transaction.atomic():
            going = save_progress(self.run)
            if not self.run.cancel_requested:
                self._store(jobs)
                notify_workers("send")
        return going

    def _brief(self, job: SendJob, recipient: ContactBrief, thread: tuple[SentMessage, ...]) -> ComposeBrief:
        before = (job.subject, job.text) if job.text else None
        language = self.run.language or language_of(recipient.fields) or self.language
        step = self.steps.get(job.step)
        return ComposeBrief(
            contact=recipient,
            company=self.company,
            prompt=(step.prompt if step else "") or self.run.request,
            goal=self.run.prompt if self.run.prompt != self.run.request else "",
            may_ask=self.run.user_enquiry_enabled,
            tone=self.run.tone,
            step=job.step,
            occurrence=1,  # those whom the run has written to get no message of a later one
            subject=(step.subject if step else "") or reply_subject(thread),
            thread=thread,
            language=language_name(language) or None,
            hint=job.hint,
            before=before,
            # Words that are to be replaced make another seed, so that rules without a model write others.
            seed=f"{self.run.pk}/{job.contact_id}{f'/{hash_of(*before)}' if before else ''}",
        )

    def _store(self, jobs: Sequence[SendJob]) -> None:
        """Store the results of messages that waited, unless a person has cancelled them meanwhile."""
        postponed: dict[tuple[Any, ...], list[str]] = {}
        for job in jobs:
            # The condition on the status leaves messages alone that were cancelled while the app was writing.
            rows = SendJob.objects.filter(pk=job.pk, status=Status.PLANNED)
            if job.status == Status.PLANNED:
                # Grouped, since all of a batch mostly wait for the same reason: one UPDATE instead of fifty.
                postponed.setdefault((job.reason, job.error, job.attempts, job.due_at), []).append(job.pk)
                continue
            ledger.transition_all(
                rows,
                to=job.status,
                reason=job.reason,
                actor_id=self.run.created_by_id,
                **{
                    name: getattr(job, name) for name in ("subject", "text", "html", "evidence", "attachments", "error")
                },
                **{name: getattr(job, name) for name in ("attempts", "due_at", "chat", "chat_template_id")},
                **{name: getattr(job, name) for name in ("approved_at", "approved_by_id", "approved_envelope")},
            )
        for (reason, error, attempts, due_at), ids in postponed.items():
            SendJob.objects.filter(pk__in=ids, status=Status.PLANNED).update(
                reason=reason, error=error, attempts=attempts, due_at=due_at, updated_at=timezone.now()
            )


def to_write(run: GenieScheduler) -> QuerySet[SendJob]:
    """Return the run's messages without content, except for those that wait for a campaign's winner: its choice
    wakes the run."""
    return SendJob.objects.filter(run=run, status=Status.PLANNED).exclude(reason=Reason.AWAITING_WINNER)


def rests_until(run: GenieScheduler) -> datetime | None:
    """Return the time of the run's next check of messages that wait for the app; None: none waits."""
    # The earliest message decides; the bound is for caps that are raised in the meantime without a notice.
    due: datetime | None = to_write(run).aggregate(due=Min("due_at"))["due"]
    return None if due is None else min(due, timezone.now() + MAX_RETRY_DELAY)


def wake_waiting() -> None:
    """Make the active company's messages that wait for an AI app due at once."""
    now = timezone.now()
    waiting = SendJob.objects.filter(status=Status.PLANNED, reason__in=WAITS)
    runs = list(waiting.order_by().values_list("run_id", flat=True).distinct())
    if runs:
        waiting.update(due_at=now, attempts=0)  # what failed before the change says nothing of it
        GenieScheduler.objects.filter(pk__in=runs, status=GenieScheduler.Status.QUEUED).update(due_at=now)
        notify_workers("genie")


def _stops(jobs: Sequence[SendJob], contacts: Sequence[Contact], context: SendContext) -> dict[str, Stop]:
    """Return the decisions about messages that never go, by the message's id."""
    now = timezone.now()
    suppressed = suppressed_addresses(contact.email for contact in contacts)
    chats = by_chat(contact for job, contact in zip(jobs, contacts, strict=True) if job.chat_app_id)
    stopped = stops_of(jobs)
    stops = {}
    for job, contact in zip(jobs, contacts, strict=True):
        decision_input = context.decision_input(
            contact, suppressed=(contact.email or "").lower() in suppressed, now=now
        )
        of_chat = chats[contact.pk] if job.chat_app_id else {}
        decision = decide(replace(decision_input, stopped=stopped.get(job.pk), **of_chat), now)
        if isinstance(decision, Stop):
            stops[job.pk] = decision
    return stops


def _templates_of(frozen: Mapping[str, Values]) -> dict[str, str | None]:
    """Return the ids of messages' chat templates, None for one that was deleted, by the messages' ids."""
    named = {template["template"] for template in frozen.values()}
    kept = set(ChatTemplate.objects.filter(pk__in=named).values_list("pk", flat=True)) if named else set()
    return {pk: template["template"] if template["template"] in kept else None for pk, template in frozen.items()}


def _fill(run: GenieScheduler, job: SendJob, draft: Draft) -> None:
    is_rewrite = bool(job.text)  # somebody has asked for other words, and looks at them
    job.subject = draft.subject
    job.text = draft.text
    job.html = draft.html or ""
    job.error = ""
    job.attempts = 0
    job.due_at = timezone.now()
    # An unproved statement always needs approval, even in a run that sends without it.
    held = run.draft or is_unproved(job.evidence) or is_rewrite
    job.status = Status.DRAFT if held else Status.APPROVED
    job.reason = Reason.AWAITING_APPROVAL if held else ""
    if not held:
        job.approved_at = timezone.now()
        job.approved_by_id = run.created_by_id
        job.approved_envelope = job.envelope


def _put_off(job: SendJob, error: ProviderError) -> None:
    """Schedule a retry of the message, or fail if its content can't be created; existing content is kept."""
    job.error = error.detail
    if job.text:
        job.status = Status.DRAFT
        job.reason = Reason.AWAITING_APPROVAL
        return
    # The app failed, and not the message: its attempts are kept for errors of its own.
    job.attempts += 0 if error.halts else 1
    if not error.temporary or job.attempts >= MAX_ATTEMPTS:
        job.status = Status.FAILED
        job.reason = "compose_failed"
        return
    wait = TROUBLE_WAIT if error.halts else backoff(job.attempts, random.Random())  # noqa: S311  jitter
    # The vendor's own time (429 or 503 with Retry-After) replaces our guess.
    if error.retry_after is not None:
        wait = timedelta(seconds=error.retry_after)
    job.status = Status.PLANNED
    job.due_at = timezone.now() + wait
    job.reason = WAITING_FOR.get(error.code, Reason.AI_TROUBLE)
