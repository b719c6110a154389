"""The pages of background work: every bulk job with its progress, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.http import HttpResponse

from core.web.lists import ListState
from core.web.pages import MenuItem, Page

DEEDS = {
    "update": ("Changing", "Changed"),
    "delete": ("Deleting", "Deleted"),
    "restore": ("Restoring", "Restored"),
    "undo": ("Undoing a change of", "Undid a change of"),
    "convert_field": ("Converting a field of", "Converted a field of"),
    "delete_field": ("Deleting a field of", "Deleted a field of"),
    "approve_messages": ("Approving", "Approved"),
    "hold_messages": ("Holding", "Held"),
    "retry_messages": ("Trying again", "Tried again"),
    "cancel_messages": ("Cancelling", "Cancelled"),
}
"""Action -> what it is doing, and what it has done."""
NOUNS = {"contact": "contact", "lead": "lead", "productService": "product", "genie": "message"}
TONES = {"completed": "ok", "failed": "bad", "cancelled": "none", "running": "info", "queued": "none", "paused": "warn"}
MOVING = ("queued", "running")
SIZE = 25


def shown_job(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the job with what the page says of it in words."""
    over = job["status"] in ("completed", "failed", "cancelled")
    count = job["changed"] if over else job["total"]
    noun = NOUNS.get(job["panel"], "record")
    things = f"{noun}s" if count is None else f"{count:,} {noun}{'' if count == 1 else 's'}"
    return {
        **job,
        "title": f"{DEEDS.get(job['action'], ('Changing', 'Changed'))[over]} {things}",
        "tone": TONES.get(job["status"], "none"),
        "moving": job["status"] in MOVING,
        "over": over,
    }


class JobPage(Page):
    """What the pages of jobs share."""

    module = "contact"
    also = ("lead", "product-service", "genie")
    menu = MenuItem("Background work", "list-checks", 90)


class Jobs(JobPage):
    path = name = "jobs"
    title = "Background work"
    template = "web/jobs/list.html"

    def show(self) -> Mapping[str, Any]:
        state = ListState(self.request.GET)
        found = self.read("bulk-job", state.query(size=SIZE))
        more = state.more(found.next_cursor, len(found.data)) if found.next_cursor else None
        return {"jobs": [shown_job(one) for one in found.data], "more": more}


class Job(JobPage):
    """A job by itself; its forms stand wherever a job is shown, and lead back there."""

    path = "jobs/<str:id>"
    name = "job"
    title = "Background work"
    template = "web/jobs/detail.html"
    moves: ClassVar[Mapping[str, tuple[str, str]]] = {
        "pause": ("paused", "Paused"),
        "resume": ("queued", "Goes on"),
        "cancel": ("cancelled", "Cancelled"),
    }

    def show(self) -> Mapping[str, Any]:
        return {"job": shown_job(self.read(f"bulk-job/{self.params['id']}").data)}

    def do_undo(self) -> HttpResponse:
        answer = self.ask("POST", f"bulk-job/{self.params['id']}/undo", None, {})
        if not answer.ok:
            return self.refuse(answer, self._back())
        return self.done("Undoing the change", self._back(), watch=answer.data["_id"])

    def do_pause(self) -> HttpResponse:
        return self._move("pause")

    def do_resume(self) -> HttpResponse:
        return self._move("resume")

    def do_cancel(self) -> HttpResponse:
        return self._move("cancel")

    def _move(self, name: str) -> HttpResponse:
        status, text = self.moves[name]
        answer = self.ask("PUT", f"bulk-job/{self.params['id']}", None, {"status": status})
        return self.done(text, self._back()) if answer.ok else self.refuse(answer, self._back())

    def _back(self) -> str:
        """Return the page that the form stood on, if it is one of this company."""
        came = urlsplit(self.request.headers.get("Referer", ""))
        own = came.netloc == self.request.get_host() and came.path.startswith(self.address("home"))
        return f"{came.path}?{came.query}".rstrip("?") if own else self.address("jobs")


class JobProgress(JobPage):
    """The progress of a job as a toast, which asks again until the job is over."""

    path = "jobs/<str:id>/progress"
    name = "job-progress"
    template = "web/jobs/progress.html"

    def show(self) -> Mapping[str, Any]:
        return {"job": shown_job(self.read(f"bulk-job/{self.params['id']}").data)}


PAGES = [Jobs, Job, JobProgress]
