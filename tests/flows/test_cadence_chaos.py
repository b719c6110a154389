"""Workers killed by kill -9 while a run sends its messages and follow-ups and people answer in between: each message
once, none after the answer that stops it, and none left out."""

from __future__ import annotations

import os
import random
import time
from collections import Counter, defaultdict

import pytest
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from core.tenancy import company_scope
from crm.models import Contact
from outreach.models import AiApp, GenieScheduler, SendJob, SendJobTransition, Smtp
from tests.flows.test_send_chaos import SECONDS, SlowServer, _message_id, stable
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.kit.stops import hang_one

pytestmark = [pytest.mark.long, in_make_check]

STEPS = 3
SECOND = {"amount": 1, "unit": "seconds"}
CADENCE = {"steps": [{"delay": SECOND, "prompt": f"Ask again, number {number}"} for number in range(1, STEPS)]}


def start(cast: Cast, port: int, people: int) -> tuple[str, list[str]]:
    """Start a run. Returns its id and those of its contacts."""
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        contacts = [
            Contact(name=f"Person {n}", email=f"p{n}@example.org", email_key=f"p{n}@example.org") for n in range(people)
        ]
        Contact.objects.bulk_create(contacts)
    ids = [contact.pk for contact in contacts]
    body = {"contactIds": ids, "prompt": "Tell them about our opening hours", "outreachCadence": CADENCE}
    answer = cast.key.post("/genie/from-contacts", body)
    assert answer.status == 201, answer.body
    return answer.data["_id"], ids


def is_done(run: str) -> bool:
    """Tell whether nothing of the run comes any more."""
    Smtp.objects.update(paused_until=None)  # a rested sender is not what is tested here
    # One statement: between two of them what comes may turn into what is under way, and the other way round.
    under_way = Q(status__in=("planned", "approved", "claimed", "sending")) | Q(next_step_at__isnull=False)
    finished = GenieScheduler.objects.filter(pk=run, status="completed").exists()
    return finished and not SendJob.objects.filter(under_way, run_id=run).exists()


def chaos(people: int, kills: int) -> Counter[str]:
    """Run it, and hold what the server accepted against the ledger and the answers. Returns the counts by status."""
    cast, server = make_cast(), Faults()
    end, killed = time.monotonic() + SECONDS, 0
    with faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False) as port:
        run, contacts = start(cast, port, people)
        waiting = random.sample(contacts, people // 3)
        with stable(connection.settings_dict["NAME"], "") as workers, company_scope(cast.company.pk):
            while not is_done(run):
                assert time.monotonic() < end, statuses_of(run)
                progress = len(server.received) / (people * STEPS * 0.7)
                if killed < kills * progress:
                    hang_one(workers.pids)
                    workers.kill_one()
                    workers.spawn()
                    killed += 1
                while waiting and len(waiting) > people // 3 * (1 - progress):
                    Contact.objects.filter(pk=waiting.pop()).update(replied_at=timezone.now())
                time.sleep(random.uniform(0, 0.05))
    with company_scope(cast.company.pk):
        check(run, people, [_message_id(mail) for mail in server.received])
        assert killed >= kills // 2
        return statuses_of(run)


def statuses_of(run: str) -> Counter[str]:
    return Counter(SendJob.objects.filter(run_id=run).values_list("status", flat=True))


def check(run: str, people: int, accepted: list[str]) -> None:
    """Hold the run's messages against what the server accepted, and against the answers."""
    assert len(accepted) == len(set(accepted)), "a mail went out twice"
    jobs = {job.pk: job for job in SendJob.objects.filter(run_id=run).select_related("contact")}
    assert {jobs[pk].status for pk in accepted} <= {"sent", "unknown"}
    assert {pk for pk, job in jobs.items() if job.status == "sent"} <= set(accepted)
    begun = Counter(SendJobTransition.objects.filter(to_status="sending").values_list("send_job_id", flat=True))
    assert max(begun.values()) == 1
    threads = defaultdict(dict)
    for job in jobs.values():
        assert job.step not in threads[job.contact_id]
        threads[job.contact_id][job.step] = job
        replied_at = job.contact.replied_at
        if job.step > 1 and job.sending_at is not None and replied_at is not None:
            # The answer was given its time before it was committed: a moment later it may have been on its way.
            assert (job.sending_at - replied_at).total_seconds() < 0.5, "a follow-up went out after the answer"
    assert len(threads) == people
    for thread in threads.values():
        steps = [thread[step] for step in sorted(thread)]
        assert [job.step for job in steps] == list(range(1, len(steps) + 1))
        assert {job.status for job in steps[:-1]} <= {"sent"}
        last, replied = steps[-1], steps[-1].contact.replied_at is not None
        if last.status == "cancelled":
            assert (last.reason, replied) == ("reply_received", True)
        elif last.status != "unknown":
            assert (last.status, last.step) == ("sent", STEPS), "a follow-up is missing"


@pytest.mark.django_db(transaction=True)
def test_chaos_of_cadences_short() -> None:
    print(chaos(24, 3))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_chaos_of_cadences_long() -> None:
    print(chaos(int(os.environ.get("CHAOS_MAILS", "1000")), int(os.environ.get("CHAOS_KILLS", "60"))))
