"""The pages of background work: every bulk job with its progress and actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlsplit

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.counts import CONTACTS, LEADS, MESSAGES, ORGANIZATIONS
from core.text.labels.list_names import list_name
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.lists import ListState
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page

ACTIONS = {
    "update": (gettext_lazy("Changing"), gettext_lazy("Changed")),
    "delete": (gettext_lazy("Deleting"), gettext_lazy("Deleted")),
    "restore": (gettext_lazy("Restoring"), gettext_lazy("Restored")),
    "undo": (gettext_lazy("Undoing a change"), gettext_lazy("Undid a change")),
    "convert_field": (gettext_lazy("Converting a field"), gettext_lazy("Converted a field")),
    "delete_field": (gettext_lazy("Deleting a field"), gettext_lazy("Deleted a field")),
    "approve_messages": (gettext_lazy("Approving"), gettext_lazy("Approved")),
    "hold_messages": (gettext_lazy("Holding"), gettext_lazy("Held")),
    "retry_messages": (gettext_lazy("Trying again"), gettext_lazy("Tried again")),
    "cancel_messages": (gettext_lazy("Cancelling"), gettext_lazy("Cancelled")),
    "redrive_runs": (gettext_lazy("Restarting"), gettext_lazy("Restarted")),
}
"""Action -> its titles during and after the job."""
PANELS = {
    "contact": (gettext_lazy("contacts"), CONTACTS),
    "lead": (gettext_lazy("leads"), LEADS),
    "organization": (gettext_lazy("organizations"), ORGANIZATIONS),
    "productService": (gettext_lazy("products"), ngettext_lazy("%(count)s product", "%(count)s products")),
    "genie": (gettext_lazy("messages"), MESSAGES),
    "workflow": (gettext_lazy("runs"), ngettext_lazy("%(count)s run", "%(count)s runs")),
}
"""Panel -> the label of its records, and the text for their number."""
TONES = {"completed": "ok", "failed": "bad", "cancelled": "none", "running": "info", "queued": "none", "paused": "warn"}
WORK = {
    "bulk-job": ("job", "{title}"),
    "contact/import": ("import", gettext_lazy("Importing {title}")),
    "organization/import": ("import", gettext_lazy("Importing organizations from {title}")),
    "lead/import": ("import", gettext_lazy("Importing leads from {title}")),
    "export": ("export", gettext_lazy("Exporting: {records}")),
    "suppression/import": ("suppression-import", gettext_lazy("Importing addresses from {title}")),
    "genie": ("outreach-run", gettext_lazy("Writing messages: {title}")),
}
"""Resource of the API -> the page of a job, and its text in the tray."""
SHOWN = 4
"""Jobs in the tray; of the others only the number is shown."""
MOVING = ("queued", "running")
OF_MANY = {"field": "total", "operator": "notEquals", "value": 1}
"""Leaves out changes of one record, which are jobs too so that they can be undone."""
SIZE = 25


def shown_title(action: str, panel: str, count: int | None, *, over: bool = False) -> str:
    """Return the title of a running or ended job."""
    label, counted = PANELS[panel]
    records = label if count is None else counted.of(count)
    return _("%(action)s: %(records)s") % {"action": ACTIONS.get(action, ACTIONS["update"])[over], "records": records}


MODULES = {"productService": "product-service", "organization": "contact"}
"""Panel -> its permission module, where that is called otherwise."""


def shown_job(job: Values) -> JsonObject:
    """Return the job with the texts of the page."""
    over = job["status"] in ("completed", "failed", "cancelled")
    return {
        **job,
        "title": shown_title(job["action"], job["panel"], job["changed"] if over else job["total"], over=over),
        "tone": TONES.get(job["status"], "none"),
        "module": MODULES.get(job["panel"], job["panel"]),
        "moving": job["status"] in MOVING,
        "over": over,
    }


class JobPage(Page):
    """Shared parts of the pages of jobs."""

    module = "contact"
    alternate_modules = ("lead", "product-service", "genie", "workflow")
    menu = MenuItem(
        gettext_lazy("Background jobs"),
        SETTINGS,
        80,
        "list-checks",
        gettext_lazy("Data"),
        gettext_lazy("background work bulk progress queue undo"),
    )


class Jobs(JobPage):
    path = name = "jobs"
    purpose = gettext_lazy("Progress of bulk changes.")
    title = gettext_lazy("Background jobs")
    template = "web/jobs/list.html"

    def show(self) -> Values:
        every = self.request.GET.get("only") == "every"
        state = ListState(self.request.GET, keeps=("only",), fixed=() if every else (OF_MANY,))
        answer = self.read("bulk-job", state.query(size=SIZE))
        more = state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None
        return {"jobs": [shown_job(job) for job in answer.data], "more": more, "every": every}


class Job(JobPage):
    """A single job; its forms appear wherever a job is shown, and redirect there."""

    path = "jobs/<str:id>"
    name = "job"
    record_kind = ("bulk-job", gettext_lazy("Background jobs"))
    title = gettext_lazy("Progress of background jobs")
    template = "web/jobs/detail.html"
    moves: ClassVar[Mapping[str, tuple[str, str]]] = {
        "pause": ("paused", gettext_lazy("Paused")),
        "resume": ("queued", gettext_lazy("Continuing")),
        "cancel": ("cancelled", gettext_lazy("Cancelled")),
    }

    def show(self) -> Values:
        return {"job": shown_job(self.read(f"bulk-job/{self.params['id']}").data)}

    def do_undo(self) -> HttpResponse:
        answer = self.ask("POST", f"bulk-job/{self.params['id']}/undo", None, {})
        if not answer.ok:
            return self.refuse(answer, self._previous_page())
        return self.redirect_with_toast(_("Undoing the change"), self._previous_page(), watch=answer.data["_id"])

    def do_pause(self) -> HttpResponse:
        return self._move("pause")

    def do_resume(self) -> HttpResponse:
        return self._move("resume")

    def do_cancel(self) -> HttpResponse:
        return self._move("cancel")

    def _move(self, name: str) -> HttpResponse:
        status, text = self.moves[name]
        answer = self.ask("PUT", f"bulk-job/{self.params['id']}", None, {"status": status})
        return (
            self.redirect_with_toast(text, self._previous_page())
            if answer.ok
            else self.refuse(answer, self._previous_page())
        )

    def _previous_page(self) -> str:
        """Return the page of the form, if it is one of this company."""
        came = urlsplit(self.request.headers.get("Referer", ""))
        own = came.netloc == self.request.get_host() and came.path.startswith(self.address("home"))
        return f"{came.path}?{came.query}".rstrip("?") if own else self.address("jobs", only="every")


class JobProgress(JobPage):
    """The progress of a job as a toast, which asks again until the job is over."""

    path = "jobs/<str:id>/progress"
    name = "job-progress"
    tab_name = gettext_lazy("Background job")
    template = "web/jobs/progress.html"

    def show(self) -> Values:
        return {"job": shown_job(self.read(f"bulk-job/{self.params['id']}").data)}


class JobTray(Page):
    """Running work and the number of unread notifications, for every page. It polls while something changes."""

    path = "jobs/tray"
    name = "job-tray"
    title = gettext_lazy("Under way")
    template = "web/jobs/tray.html"
    needs_subscription = False

    def show(self) -> Values:
        answer = self.ask("GET", "bulk-job/under-way")
        jobs = [self.line(job) for job in answer.data["work"]] if answer.ok else []
        unread = self.ask_private("GET", "notification/unread", {"company": self.reader.company_id})
        return {
            "jobs": jobs[:SHOWN],
            "more": len(jobs[SHOWN:]),
            "unread": unread.data["count"] if unread.ok else 0,
        }

    def line(self, job: Values) -> tuple[str, float, str]:
        """Return a job's text, its percent and its page."""
        page, template = WORK[job["resource"]]
        title = shown_title(job["title"], job["about"], job["total"]) if page == "job" else job["title"]
        said = template.format(title=title, records=list_name(job["about"]))
        return said, job["percent"], self.address(page, job["_id"])


PAGES = [Jobs, Job, JobProgress, JobTray]
