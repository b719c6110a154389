"""The settings page for the tracking of mails, and for the company's own hosts for their links."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
STATES = {
    "pending": (gettext_lazy("Not ready yet"), "warn"),
    "verified": (gettext_lazy("In use"), "ok"),
    "lost": (gettext_lazy("DNS records missing"), "bad"),
}
"""Status of the API -> its label and tone."""


class TrackingForm(Form):
    trackOpens = Field(
        label=gettext_lazy("Track opens"),
        kind="switch",
        help_text=gettext_lazy(
            "An estimate: many email programs block or preload the image. Some countries require consent."
        ),
    )
    trackClicks = Field(
        label=gettext_lazy("Track clicks"),
        kind="switch",
        help_text=gettext_lazy("Links go through this service or your tracking domain."),
    )
    utmTags = Field(
        label=gettext_lazy("Add UTM tags to links of campaigns"),
        kind="switch",
        help_text=gettext_lazy("Web statistics then show visits by campaign."),
    )
    utmSource = Field(label=gettext_lazy("UTM source"), help_text=gettext_lazy("Leave empty to use “newsletter”."))
    utmMedium = Field(label=gettext_lazy("UTM medium"), help_text=gettext_lazy("Leave empty to use “email”."))


class Tracking(SettingsForm):
    path = "settings/tracking"
    name = "tracking"
    title = gettext_lazy("Open and click tracking")
    menu = MenuItem(
        gettext_lazy("Open and click tracking"),
        SETTINGS,
        30,
        "mouse-pointer-click",
        gettext_lazy("Sending"),
        gettext_lazy("opens clicks links tracking domain pixel utm tags campaign source medium"),
    )
    purpose = gettext_lazy("Track opens and clicks in your emails.")
    module = "genie"
    resource = "genie/settings"
    template = "web/tracking/settings.html"

    form_class = TrackingForm

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        answer = self.ask("GET", "domain-tracking", LIST) if self.may("domain-tracking") else None
        sees = answer is not None and answer.ok
        hosts = [
            {**row, "words": STATES[row["status"]][0], "tone": STATES[row["status"]][1]}
            for row in (answer.data if answer is not None and answer.ok else ())
        ]
        shown = {"sees_hosts": sees, "hosts": hosts, "host_form": self.host_form()}
        return super().page({**shown, **context}, template=template, status=status)

    def host_form(self) -> Form:
        """Make the form of a new host."""
        help = _("An unused subdomain of your domain.")
        return Form(fields=[Field("name", _("Host"), placeholder="click.example.com", required=True, help_text=help)])

    def do_add(self) -> HttpResponse:
        form = self.host_form().bind(self.request.POST)
        answer = self.ask("POST", "domain-tracking", None, form.values)
        if answer.ok:
            return self.redirect_with_toast(_("Added. Publish the DNS records, then check the domain."))
        form.refuse(answer)
        return self.page({**self.show(), "host_form": form}, status=422)

    def do_check(self) -> HttpResponse:
        answer = self.ask("POST", f"domain-tracking/{self.sent_id()}/check")
        if not answer.ok:
            return self.refuse(answer)
        if answer.data["status"] == "verified":
            return self.redirect_with_toast(_("Links in your emails now use %(name)s") % {"name": answer.data["name"]})
        return self.fail(answer.data["detail"])

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "domain-tracking", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(_("Deleted")) if answer.ok else self.refuse(answer)


PAGES = [Tracking]
