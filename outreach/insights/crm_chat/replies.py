"""The worker's part: a question is answered in rounds, each of which reads lists or gives the answer.

A model's response is stored in the transaction that settles its call, so that a question whose worker was killed
continues from there. No call is paid for twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.members.authentication import member_actor
from accounts.models import Member
from accounts.settings.formats import formats_of
from core.access import Actor
from core.errors import NamedError
from core.jobs.leases import update_owned
from core.jobs.runner import finish, save_progress
from core.tenancy import company_id
from core.text.json import dumps
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from core.web.ask import ask
from crm.records.datetimes import company_timezone
from outreach.connections.ai.budgets import CompanyMeter, Reservation
from outreach.connections.ai.models import AiApp, AiUsage
from outreach.connections.ai.providers import ProviderError
from outreach.connections.ai.providers.answers import Unreadable, Unusable
from outreach.connections.ai.providers.base import Used
from outreach.connections.ai.providers.model import ModelProvider
from outreach.connections.ai.services import choose_ai_app, provider_class
from outreach.insights.crm_chat import offline
from outreach.insights.crm_chat.catalogue import MOUNT, TABLES, Table, tables_of
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread
from outreach.insights.crm_chat.plans import SCHEMA, Reply, Step, clean_answer, read_reply, unproved_figures
from outreach.insights.crm_chat.prompts import request_of, rules_of
from outreach.insights.crm_chat.reading import Asker, label_of, run_step

MAX_ROUNDS = 4
"""Replies to a question: three may read lists, and the last one answers."""
SECONDS = timedelta(seconds=150)
"""Time limit of a question from the start of its first worker."""
MAX_TOKENS = 100_000
"""Tokens of a question after which nothing more is read."""
BEFORE = 3
"""Number of earlier questions of the conversation in the prompt."""
Status = CrmChatMessage.Status


class QuestionMeter(CompanyMeter):
    """The company's meter. A call's text and its usage are stored together, or not at all."""

    def __init__(self, app: AiApp, message: CrmChatMessage) -> None:
        super().__init__(app, AiUsage.Purpose.QUESTION)
        self.message = message
        self.used = Used()

    @contextmanager
    def call(self, tokens_in: int, tokens_out: int) -> Iterator[Used]:
        with super().call(tokens_in, tokens_out) as used:
            self.used = used
            yield used

    @transaction.atomic
    def _settle(self, held: Reservation, tokens_in: int, tokens_out: int) -> str:
        id = super()._settle(held, tokens_in, tokens_out)
        message = self.message
        update_owned(
            message,
            rounds=[*answered_rounds(message), {"reply": self.used.text, "results": None}],
            tokens_in=message.tokens_in + tokens_in,
            tokens_out=message.tokens_out + tokens_out,
        )
        return id


def answered_rounds(message: CrmChatMessage) -> list[JsonObject]:
    """Return the rounds whose lists have been read."""
    return [batch for batch in message.rounds if batch["results"] is not None]


def answer_question(message: CrmChatMessage, deadline: float) -> None:
    """Answer a claimed question in one pass. It ignores the deadline, since its time is limited anyway."""
    if message.started_at is None:
        update_owned(message, started_at=timezone.now())
    try:
        actor = asking_actor(message)
        text, results = _think(message, actor)
    except NamedError as error:
        finish(message, Status.FAILED, error=str(error.detail), error_name=error.name, rounds=[])
        return
    except ProviderError as error:
        finish(message, Status.FAILED, error=error.detail, error_name=error.name, rounds=[])
        return
    finish(
        message,
        Status.COMPLETED,
        answer=text,
        evidence=[displayed_result(result) for result in results],
        rounds=[],
        unproved=_unproved_figures(message, text, results),
        error="",
        error_name="",
    )


def asking_actor(message: CrmChatMessage) -> Actor:
    """Return the asker with the current permissions, not those at the time of the question. Raises
    UnauthorizedAction_403."""
    owner = CrmChatThread.objects.values("owner").filter(pk=message.thread_id)
    member = Member.objects.select_related("user", "role").filter(pk__in=owner).first()
    working = (Member.Status.OWNER, Member.Status.ACCEPTED)
    if member is None or member.user is None or not member.user.is_active or member.status not in working:
        raise NamedError("UnauthorizedAction_403", "who asked is no active member of the company any more")
    permission = dumps(member.permissions()).decode()
    scope = dumps(member.role.record_scope if member.role else {}).decode()
    return member_actor(member.user_id or "", member.company_id, member.pk, member.status, permission, scope)


def _think(message: CrmChatMessage, actor: Actor) -> tuple[str, list[JsonObject]]:
    """Return the answer, and the results that it is based on."""
    app = choose_ai_app(message.ai_type or None)
    tables = tables_of(actor)
    if not provider_class(app.provider).calls_a_model:
        steps = offline.plan(message.question, tables)
        results = _run(steps, Asker(actor, {}))
        return offline.words(results, formats_of(company_id())), results
    custom = custom_fields(actor)
    asker = Asker(actor, {entry["uniqueFieldID"]: entry["name"] for fields in custom.values() for entry in fields})
    model = _Model(message, app, rules_of(tables, asker, custom))
    while True:
        reply = model.next()
        results = [result for entry in answered_rounds(message) for result in entry["results"]]
        if not reply.steps:
            return clean_answer(reply.answer), results
        read = _run(reply.steps, asker)
        # Save the progress, so that a retry goes on from here.
        if not save_progress(message, rounds=[*answered_rounds(message), {"reply": model.said, "results": read}]):
            raise ProviderError("cancelled", gettext("The question was stopped."), temporary=False)


def _run(steps: Sequence[Step], asker: Asker) -> list[JsonObject]:
    return [run_step(TABLES[step.list], step, asker) for step in steps]


class _Model:
    """The model of a question. It replies from the rows that were read."""

    def __init__(self, message: CrmChatMessage, app: AiApp, rules: str) -> None:
        kind = provider_class(app.provider)
        assert issubclass(kind, ModelProvider)  # noqa: S101  for the type: calls_a_model says so
        self.provider = kind(app, QuestionMeter(app, message))
        self.message = message
        self.rules = rules
        self.said = ""
        self.now = timezone.now().astimezone(zone_of(company_timezone()))
        self.before = said_before(message)

    def next(self) -> Reply:
        """Return the next reply: one that an earlier worker has paid for, or a new one. Raises ProviderError."""
        rounds = answered_rounds(self.message)
        last = len(rounds) >= MAX_ROUNDS - 1 or self.message.tokens_in + self.message.tokens_out > MAX_TOKENS
        pending = [batch["reply"] for batch in self.message.rounds if batch["results"] is None]
        for text in pending:
            try:
                return self._read(text, last)
            except (Unreadable, Unusable):
                continue  # it could not be used before either; the model is asked again
        if timezone.now() - (self.message.started_at or timezone.now()) > SECONDS:
            detail = gettext("No answer after %(seconds)s seconds. Ask again, or ask for less data.") % {
                "seconds": SECONDS.seconds
            }
            raise ProviderError("slow", detail, temporary=False)
        request = request_of(self.message.question, self.before, rounds, self.now, last)
        return self.provider.request_value(self.rules, request, SCHEMA, lambda text: self._read(text, last))

    def _read(self, text: str, last: bool) -> Reply:
        reply = read_reply(text, last=last)
        self.said = text
        return reply


def said_before(message: CrmChatMessage) -> list[tuple[str, str]]:
    """Return the last questions and answers of the conversation before this one, the oldest first."""
    rows = CrmChatMessage.objects.filter(thread=message.thread_id, status=Status.COMPLETED, pk__lt=message.pk)
    pairs = list(rows.order_by("-pk").values_list("question", "answer")[:BEFORE])
    return [(question[:500], answer[:1000]) for question, answer in reversed(pairs)]


def custom_fields(actor: Actor) -> dict[str, list[Values]]:
    """Return the custom fields that the asker may read, by panel."""
    query = {"p": "1", "n": "100", "fields": "panel,uniqueFieldID,name,valueType,options"}
    response = ask(actor, MOUNT, "GET", "custom-field", query)
    panels: dict[str, list[Values]] = {}
    for field in response.data if response.ok else ():
        panels.setdefault(field["panel"], []).append(field)
    return panels


def displayed_result(result: Values) -> JsonObject:
    """Return the part of a read list that an answer shows: only the names of the records."""
    table: Table = TABLES[result["list"]]
    records = [{"_id": row["_id"], "name": label_of(table, row)} for row in result["rows"] if "_id" in row]
    return {**{name: value for name, value in result.items() if name != "rows"}, "records": records}


def _unproved_figures(message: CrmChatMessage, text: str, results: Sequence[Values]) -> list[str]:
    """Return the figures of an answer that are not in the rows that were read."""
    texts = [
        offline.KNOWS,
        message.question,
        dumps(list(results)).decode(),
        *(f"{len(entry['rows'])}" for entry in results),
    ]
    return unproved_figures(text, texts)[:20]
