"""The switch that turns on tracking, on the pages of runs and campaigns whose opens or clicks are not measured."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.web.pages import Page
from outreach.runs.genie.pages.base import TRACKED


class TurnsOnTracking(Page):
    """A page whose messages may lack opens and clicks."""

    def do_track(self) -> HttpResponse:
        """Turn on the company's tracking that the form names; the toast turns it off again."""
        names = self.request.POST.getlist("names")
        answer = self._set(names, is_on=True)
        return answer or self.redirect_with_toast(
            _("Tracking is on for messages sent from now on"), back={"do": "untrack", "names": " ".join(names)}
        )

    def do_untrack(self) -> HttpResponse:
        return self._set(self.request.POST.get("names", "").split(), is_on=False) or self.redirect_with_toast(
            _("Tracking is off")
        )

    def _set(self, names: list[str], *, is_on: bool) -> HttpResponse | None:
        """Turn tracking on or off. Returns the refusal, if there is one."""
        answer = self.ask("PUT", "genie/settings", None, {name: is_on for name in names if name in TRACKED})
        return None if answer.ok else self.refuse(answer)
