"""The threads of a sending process: what they commit together, and what becomes of it when something breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from aiosmtpd.smtp import SMTP, Envelope
from django.db import connection
from django.utils import timezone

from core.events.models import Event
from core.jobs.liveness import release_lock
from outreach.connections.smtp import transport
from outreach.connections.smtp.transport import Sent
from outreach.messaging.delivery.sending import writer as writing
from outreach.messaging.delivery.sending.claims import claim
from outreach.messaging.delivery.sending.intents import INTENT, Row, intent_of, parameters, settle, settle_parameters
from outreach.messaging.delivery.sending.turns import release_slot, take_slot
from outreach.messaging.delivery.sending.writer import IntentLost, Writer, _Intent, _Settled
from outreach.models import SendJob, SendJobTransition, Smtp
from tests.kit.cast import Cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import HANG, PATIENT, Faults, FaultyServer, accept_any, faulty_server
from tests.outreach.helpers import Post, planned, statuses, work

pytestmark = [pytest.mark.threads, pytest.mark.django_db(transaction=True)]


def never() -> None:
    raise AssertionError("it was not late")


def intent(job: SendJob, **values: Any) -> _Intent:
    return _Intent({**intent_of(job, recipient=job.contact.email or "", message_id=f"<{job.pk}@x>"), **values})


def steps(job: SendJob) -> list[str]:
    rows = SendJobTransition.objects.filter(send_job=job).order_by("created_at", "id")
    return list(rows.values_list("to_status", flat=True))


class Watching(FaultyServer):
    """Looks at the message's row when it has the message."""

    seen: Counter[str]

    async def handle_DATA(self, server: SMTP, session: object, envelope: Envelope) -> str:
        content = bytes(envelope.content or b"")
        id = content.partition(b"Message-ID: <")[2][:24].decode()
        with writing.connect() as watcher:
            [(status,)] = watcher.execute("SELECT status FROM outreach_sendjob WHERE id = %s", [id]).fetchall()
        self.seen[status] += 1
        return await super().handle_DATA(server, session, envelope)


def test_a_server_has_a_message_only_after_its_intent_was_committed(cast: Cast, post: Post) -> None:
    Watching.seen = Counter()
    faults = Faults()
    with faulty_server(faults, factory=Watching, authenticator=accept_any, auth_require_tls=False) as port:
        with cast.scope():
            Smtp.objects.update(port=port, max_connections=3)
        # The address is part of what the password is bound to.
        with cast.scope():
            smtp = Smtp.objects.get()
            smtp.password = "päss wörd"
            smtp.save()
        run = planned(cast, 24)
        work("send")
    assert statuses(cast, run) == {"sent": 24}
    assert (Watching.seen, len(faults.received)) == (Counter(sending=24), 24)
    assert 1 < faults.connections <= 3
    with cast.scope():
        assert Event.objects.filter(kind="mail.sent").count() == 24
        held: list[int] = []
        assert take_slot(smtp, held)  # no connection is counted any more
        release_slot(smtp, held)


@in_make_check
def test_nobody_waits_for_the_server_of_somebody_else(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "Timeouts", lambda: replace(PATIENT, final=3.0))
    silent = planned(cast, 1)
    post.server.at["final"], post.server.times["final"] = HANG, 1
    with cast.scope():
        other = SmtpFactory(port=post.port, username="user", password="päss wörd", name="Other")
    answered = planned(cast, 2, smtp=other.pk)
    with cast.scope():
        SendJob.objects.filter(run_id=answered).update(due_at=timezone.now() + timedelta(seconds=1))
    work("send", seconds=0.5)
    assert (statuses(cast, silent), statuses(cast, answered)) == ({"unknown": 1}, {"sent": 2})


def test_what_is_committed_together_is_told_apart(cast: Cast, post: Post) -> None:
    planned(cast, 6)
    with cast.scope():
        held, lost, bad, sent, late, wrong = claim(post.smtp.pk).jobs
        ledger = Writer()
        begun = [intent(job) for job in (sent, late, wrong)]
        ledger._commit(begun, [])
        assert [one.held for one in begun] == [True] * 3
        SendJob.objects.filter(pk=late.pk).update(status="unknown", lease=None)
        given = [intent(held), intent(lost, lease="0" * 24), intent(bad, recipient="a\0b")]
        news: list[str] = []

        def done(job: SendJob, reply: str, late: Callable[[], None]) -> _Settled:
            return _Settled(settle_parameters(job, Sent(reply)), late)

        ledger._commit(
            given,
            [
                done(sent, "250 ok", never),
                done(late, "250 ok", lambda: news.append("late")),
                done(wrong, "250 \0", never),
            ],
        )
        ledger.close()
        assert [(one.held, isinstance(one.error, psycopg.DataError)) for one in given] == [
            (True, False),
            (False, False),
            (False, True),
        ]
        assert news == ["late"]
        found = {job.pk: job.status for job in SendJob.objects.all()}
        expected = {"sending": (held, wrong), "claimed": (lost, bad), "sent": (sent,), "unknown": (late,)}
        assert found == {job.pk: status for status, jobs in expected.items() for job in jobs}
        assert list(Event.objects.filter(kind="mail.sent").values_list("object_id", flat=True)) == [sent.pk]
    release_lock()


class Counting(Writer):
    """Commits nothing, and notes what it would have committed together."""

    def __init__(self, connections: int) -> None:
        self.groups: list[tuple[int, int]] = []
        self.connections = connections
        super().__init__()

    def _write(self, intents: Sequence[Row], settled: Sequence[Row]) -> tuple[set[str], set[str]]:
        self.groups.append((len(intents), len(settled)))
        return {row["id"] for row in intents}, {row["id"] for row in settled}


def test_a_group_gathers_until_half_of_the_connections_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "GATHER", 20.0)
    lone = Counting(1)
    assert lone.intend({"id": "a"})
    lone.close()
    assert lone.groups == [(1, 0)]
    several = Counting(4)
    several.settle({"id": "s"}, never)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(several.intend, ({"id": "a"}, {"id": "b"}))) == [True, True]
    several.settle({"id": "t"}, never)
    several.close()
    assert several.groups == [(2, 1), (0, 1)]


class Broken(Writer):
    """Loses its connection after the first COMMIT, before PostgreSQL says so, and finds the server away once."""

    breaks = 0

    def _write(self, *rows: Any) -> Any:
        found = super()._write(*rows)
        if self.breaks:
            self.breaks -= 1
            raise psycopg.OperationalError("the connection was lost")
        return found


def test_a_connection_lost_in_the_commit_sends_nothing_and_loses_nothing(cast: Cast, post: Post) -> None:
    planned(cast, 2)
    with cast.scope():
        first, second = claim(post.smtp.pk).jobs
        ledger = Broken()
        assert ledger.intend(intent(first).row)
        ledger.breaks = 2
        ledger._commit([begun := intent(second)], [_Settled(settle_parameters(first, Sent("250 ok")), lambda: None)])
        assert isinstance(begun.error, IntentLost)
        ledger.close()
        with pytest.raises(IntentLost):
            ledger.intend(intent(second).row)
        assert {job.pk: job.status for job in SendJob.objects.all()} == {first.pk: "sent", second.pk: "approved"}
        assert steps(first)[-3:] == ["claimed", "sending", "sent"]
        assert steps(second)[-3:] == ["claimed", "sending", "approved"]
        assert Event.objects.filter(kind="mail.sent").count() == 1
    release_lock()


def test_a_senders_connections_are_counted_over_all_processes(cast: Cast, post: Post) -> None:
    with cast.scope():
        mine: list[int] = []
        assert [take_slot(post.smtp, mine) for _ in range(3)] == [True, True, False]
        other = connection.copy()
        with other.cursor() as cursor:
            key = "SELECT pg_try_advisory_lock(((objid::bigint) + (classid::bigint << 32))) FROM pg_locks"
            here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            cursor.execute(f"{key} WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND {here}")
            assert cursor.fetchall() == [(False,), (False,)]
        other.close()
        release_slot(post.smtp, mine)
        assert take_slot(post.smtp, mine)
        while mine:
            release_slot(post.smtp, mine)


def test_a_group_reads_its_own_rows_and_not_all_that_are_claimed() -> None:
    rows = [{"id": "a" * 24, "company": "b" * 24, "lease": "", "recipient": "", "at": timezone.now()}]
    with writing.connect() as own:
        for statement in (INTENT, settle()):
            plan = "\n".join(line for (line,) in own.execute(f"EXPLAIN {statement}", parameters(rows)))
            assert "outreach_sendjob_pkey" in plan
            assert "sendjob_held" not in plan
