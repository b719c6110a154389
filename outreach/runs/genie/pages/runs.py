"""The pages of runs: all of them, and one with its numbers and the reasons that delay its messages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from core.text.translation import PluralText, gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.lists import Column, ListState
from outreach.messaging.delivery.pages.reason_links import Case, Link, link_of, record_id
from outreach.runs.genie.pages.base import CANCELED, PHASES, OutreachPage, shown_run, undo_approval
from outreach.runs.genie.pages.outcomes import NOT_SENT, chart_of, outcomes_of, unmeasured
from outreach.runs.genie.pages.steps import follow_up_source, hours_in_words, in_words, step_name
from outreach.runs.genie.pages.tracking import TurnsOnTracking
from outreach.runs.genie.types import RunDetailData

WAITING = ("approved", "claimed", "sending")
SOON = timedelta(minutes=1)
LOOKED_AT = gettext_lazy("Looking for people: %(processed)s contacts looked at")
LOOKED_AT_OF = gettext_lazy("Looking for people: %(processed)s of %(total)s contacts looked at")
ASKED = gettext_lazy("Requesting data: %(processed)s contacts")
ASKED_OF = gettext_lazy("Requesting data: %(processed)s of %(total)s contacts")
PAUSED = ngettext_lazy(
    "Paused: %(count)s message waits for approval again", "Paused: %(count)s messages wait for approval again"
)
RETRIED = ngettext_lazy(
    "Approved %(count)s message again; missing texts are written first",
    "Approved %(count)s messages again; missing texts are written first",
)


def progress_text(text: str, job: Values) -> str:
    """Return the text with the numbers of the job's processed and all records."""
    return text % {"processed": f"{job['processed']:,}", "total": f"{job['total'] or 0:,}"}


def share(job: Values) -> int:
    """Return the percent of a job that is done."""
    return round(100 * job["processed"] / job["total"]) if job["total"] else 0


def reached_counts(run: RunDetailData) -> JsonObject:
    """Count the people whom a run has reached, and separately its messages: the ended ones, and the remaining ones.

    The remaining ones are counted as if nobody replied.
    """
    counts, steps = run["counts"], 1 + len(run["outreachCadence"].get("steps", []))
    ended = sum(counts[status] for status in ("sent", *NOT_SENT))
    to_come = max((run["total"] or 0) - run["processed"], 0) * steps
    first = 0
    for step in run["steps"]:
        first = step["counts"].get("sent", 0) if step["step"] == 1 else first
        going = sum(number for status, number in step["counts"].items() if status not in ("sent", *NOT_SENT))
        to_come += (going + step["followed"]) * max(steps - step["step"], 0)
    created = sum(counts.values())
    planned = created + to_come
    return {
        "people": first,
        "made": created,
        "to_come": to_come,
        "planned": planned,
        "percent": round(100 * ended / planned) if planned and run["phase"] != "cancelled" else 100 * bool(planned),
    }


def group_of(status: str) -> tuple[str, ...]:
    """Return the statuses that people call by one name, as this one."""
    return next((group for group in (WAITING, NOT_SENT) if status in group), (status,))


class Runs(OutreachPage):
    path = name = "outreach"
    title = gettext_lazy("Outreach")
    template = "web/outreach/list.html"
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("phase", gettext_lazy("Status")),
        Column("total", gettext_lazy("People"), "total", css="right"),
        Column("sent", gettext_lazy("Messages sent"), css="right"),
        Column("answered", gettext_lazy("Replied"), css="right"),
        Column("createdBy", gettext_lazy("By")),
        Column("createdAt", gettext_lazy("Started"), "createdAt"),
    )

    def show(self) -> Values:
        phases = tuple((name, label) for name, (label, _) in PHASES.items())
        choices = [Choice("phase", gettext("Status"), ("in",), phases), Choice("name", gettext("Name"), ("contains",))]
        state = ListState(self.request.GET, {entry.name: entry for entry in choices}, zone=self.zone_name)
        answer = self.read("genie", state.query())
        return {
            "state": state,
            "choices": choices,
            "columns": self.columns,
            "runs": [shown_run(entry) for entry in answer.data],
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }


class Run(TurnsOnTracking, OutreachPage):
    path = "outreach/<str:id>"
    name = "outreach-run"
    tab_name = gettext_lazy("Outreach")
    record_kind = ("genie", gettext_lazy("Outreach"))
    template = "web/outreach/run.html"

    def show(self) -> Values:
        run: RunDetailData = self.read(f"genie/{self.params['id']}").data
        job = self.ask("GET", f"bulk-job/{run['bulkJob']}") if run["bulkJob"] else None
        at_work = job.data if job is not None and job.ok and job.data["status"] in ("queued", "running") else None
        decision = run["nextDecision"] or {}
        goes = decision.get("goesAt")
        goes = parse_datetime(goes) if isinstance(goes, str) else goes
        held = decision.get("state") == "wait"
        rests = run["counts"]["planned"] > 0 and run["total"] is not None and run["processed"] >= run["total"]
        anew = sum(reason["count"] for reason in run["reasons"] if reason["reason"] == "written_anew")
        written = run["phase"] == "planning" and (anew > 0 or not rests)
        moving = written or at_work is not None or self.is_soon(run["phase"], held, goes)
        return {
            "run": shown_run(run),
            "reach": reached_counts(run),
            "title": run["name"],
            "before": self.steps(run),
            "outcomes": outcomes_of(self, run["_id"], run, run["outcomes"]),
            "chart": chart_of(run["byDay"]),
            "hours": chart_of(run["byHour"]),
            "unmeasured": unmeasured(self, run, run["outcomes"]),
            "rows": self.rows(run),
            "bars": [
                {**reason, "link": self.log(run, group_of(reason["status"]), reason["reason"])}
                for reason in run["reasons"]
            ],
            "waits": decision if held else None,
            "reason_link": self.reason_link(run, decision),
            "goes_at": goes if not held else None,
            "whom": [*self.search_rows(run), *self.whom(run)],
            "people": self.people(run),
            "recipient_progress": self.recipient_progress(run) if run["phase"] == "planning" else None,
            "drafts": run["counts"]["draft"],
            "waiting": sum(run["counts"][status] for status in WAITING),
            "again": run["counts"]["failed"],
            "job": at_work,
            "moving": moving,
            "rests": rests,
            "anew": anew,
            "open": run["phase"] not in ("cancelled", "completed", "failed"),
        }

    def reason_link(self, run: RunDetailData, decision: Values) -> Link:
        """Return the link that helps with the reason for which the run's messages wait."""
        return link_of(decision.get("reason", ""), Case(run=run["_id"], smtp=record_id(run["smtp"])), self)

    def rows(self, run: RunDetailData) -> list[JsonObject]:
        """Return the steps of the run's cadence with the numbers of their messages; none without follow-ups."""
        follow_ups = run["outreachCadence"].get("steps", [])
        summaries = {summary["step"]: summary for summary in run["steps"]}
        steps = []
        for number in range(1, len(follow_ups) + 2) if follow_ups else ():
            counts = summaries.get(number, {}).get("counts", {})
            before = summaries.get(number - 1, {})
            step = follow_ups[number - 2] if number > 1 else {}
            steps.append(
                {
                    "name": step_name(number),
                    "after": in_words(step["delay"]) if step else "",
                    "hours": hours_in_words(step["window"]) if step.get("window") else "",
                    "about": follow_up_source(step),
                    "subject": step.get("subject", ""),
                    "to_come": before.get("followed", 0),
                    "comes_at": before.get("nextAt"),
                    "drafts": counts.get("planned", 0) + counts.get("draft", 0),
                    "waiting": sum(counts.get(status, 0) for status in WAITING),
                    "sent": counts.get("sent", 0),
                    "ended": sum(counts.get(status, 0) for status in NOT_SENT),
                }
            )
        return steps

    def recipient_progress(self, run: RunDetailData) -> JsonObject | None:
        """Return how far the recipients are found or asked about, or None when the messages are being written."""
        search, asking = run["generation"], run["enrichment"]
        if search and search["status"] in ("queued", "running"):
            text = LOOKED_AT if search["total"] is None else LOOKED_AT_OF
            return {
                "words": progress_text(text, search),
                "label": gettext("Contacts looked at"),
                "percent": share(search),
            }
        if asking and asking["status"] in ("queued", "running"):
            text = ASKED if asking["total"] is None else ASKED_OF
            return {
                "words": progress_text(text, asking),
                "label": gettext("Recipients asked about"),
                "percent": share(asking),
            }
        return None

    def search_rows(self, run: RunDetailData) -> list[tuple[str, str]]:
        """Return (kind, text) of the filters and results of the run's search, and of its enrichment."""
        search, enrichment = run["generation"], run["enrichment"]
        rows = []
        if search:
            rows.append(
                (
                    gettext("Found"),
                    gettext("%(created)s of %(count)s wanted")
                    % {"created": f"{search['created']:,}", "count": f"{run['count']:,}"},
                )
            )
            if search["error"] and search["created"]:
                rows.append((gettext("Not found"), search["error"]))
            rows += [(gettext("Not judged"), search["judgeError"])] if search["judgeError"] else []
            rows += [
                (gettext("Failed"), f"{failure['source']}: {failure['error']}")
                for failure in search.get("sourceErrors") or ()
            ]
            rows += [(gettext("Industry"), run["industry"])] if run["industry"] else []
            domains = ", ".join(run["customWhitelistedDomains"] or ())
            rows += [(gettext("Domains"), domains)] if domains else []
        if enrichment:
            rows.append(
                (
                    gettext("Proposed"),
                    f"{enrichment['proposed']:,}{', ' + enrichment['error'] if enrichment['error'] else ''}",
                )
            )
        return rows

    def people(self, run: RunDetailData) -> list[Values]:
        """Return the leads that the run's search has made, each with why; none if the reader may not see them."""
        search = run["generation"]
        if not search or not search["created"] or not (self.may("lead-gen-ai") and self.may("lead")):
            return []
        answer = self.ask("GET", f"lead/lead-gen-ai/{search['_id']}")
        return list(answer.data["leads"]) if answer.ok else []

    def whom(self, run: RunDetailData) -> list[tuple[str, str]]:
        """Return (kind, names) of the run's audience."""
        audience, names = run["audience"], run["audienceNames"]
        rows = []
        for selector, label in (
            ("tags", gettext("Tags")),
            ("segments", gettext("Segments")),
            ("categories", gettext("Categories")),
        ):
            if ids := audience.get(selector):
                rows.append((label, ", ".join(names.get(id, "one that was deleted") for id in ids)))
        for selector, label in (("contactIds", gettext("Single contacts")), ("leadIds", gettext("Leads"))):
            if ids := audience.get(selector):
                rows.append((label, f"{len(ids):,}"))
        return rows

    def is_soon(self, phase: str, held: bool, goes: datetime | None) -> bool:
        """Return whether a message goes so soon that the page should follow it. `held`: something is in its way."""
        if phase != "sending" or (held and goes is None):
            return False
        return goes is None or goes < timezone.now() + SOON

    def steps(self, run: RunDetailData) -> list[tuple[str, Any, str]]:
        """Return (label, number, address of the messages) of the way from planned to sending."""
        counts = run["counts"]

        def number(statuses: Iterable[str]) -> int:
            return sum(counts[status] for status in statuses)

        return [
            (gettext("People"), run["total"], ""),
            (gettext("Messages"), sum(counts.values()), self.log(run)),
            *(
                [(gettext("Not written yet"), counts["planned"], self.log(run, ["planned"]))]
                if counts["planned"]
                else []
            ),
            (gettext("Needs approval"), counts["draft"], self.log(run, ["draft"])),
            (gettext("Sending"), number(WAITING), self.log(run, WAITING)),
        ]

    def log(self, run: RunDetailData, statuses: Iterable[str] = (), reason: str = "") -> str:
        """Return the address of the run's messages, by statuses and reason if they are given."""
        filters = [f"run:in:{run['_id']}"]
        filters += [f"status:in:{','.join(statuses)}"] if statuses else []
        filters += [f"reason:in:{reason}"] if reason else []
        return self.address("messages", f=filters)

    def do_pause(self) -> HttpResponse:
        return self.change("draft-all", gettext("Pausing"), PAUSED)

    def do_undo_approval(self) -> HttpResponse:
        return undo_approval(self, self.params["id"])

    def do_retry(self) -> HttpResponse:
        return self.change("retry-failed", gettext("Approving messages again"), RETRIED)

    def do_stop_recurring(self) -> HttpResponse:
        return self.recur("stop-recurring", gettext("Repeating stopped"))

    def do_resume_recurring(self) -> HttpResponse:
        return self.recur("resume-recurring", gettext("Repeating resumed"))

    def recur(self, path: str, message: str) -> HttpResponse:
        answer = self.ask("POST", f"genie/{self.params['id']}/{path}")
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)

    def do_cancel(self) -> HttpResponse:
        return self.change("cancel", gettext("Cancelling"), CANCELED, count="cancelledCount")

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"genie/{self.params['id']}")
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Outreach deleted; its messages stay in the log"), self.address("outreach"), watch=answer.job
        )

    def change(self, path: str, doing: str, done: PluralText, *, count: str = "changedCount") -> HttpResponse:
        """Change all messages of the run, at once or by a job whose progress the toast shows."""
        answer = self.ask("POST", f"genie/{self.params['id']}/{path}", None, {} if path == "retry-failed" else None)
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(doing if answer.job else done.of(answer.data[count]), watch=answer.job)
