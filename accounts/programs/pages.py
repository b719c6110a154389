"""The page of the referral and the partner program: the person's link, their referrals, and their earnings."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import PersonPage

PARTNERSHIPS = {
    "none": (gettext_lazy("Not requested"), "none"),
    "requested": (gettext_lazy("Requested"), "warn"),
    "approved": (gettext_lazy("Partner"), "ok"),
    "rejected": (gettext_lazy("Declined"), "bad"),
    "revoked": (gettext_lazy("Ended"), "bad"),
}
REWARDS = {
    "none": "",
    "pending": gettext_lazy("Pending"),
    "earned": gettext_lazy("Earned"),
    "paid": gettext_lazy("Paid out"),
    "clawed_back": gettext_lazy("Reversed"),
}
MAY_ASK = ("none", "rejected")
SIZE = 50


class Referral(PersonPage):
    path = "account/referral"
    name = "referral"
    title = gettext_lazy("Refer a friend")
    menu = MenuItem(
        gettext_lazy("Refer a friend"),
        SETTINGS,
        40,
        "gift",
        gettext_lazy("Your account"),
        gettext_lazy("referral partner program reward bring others"),
    )
    purpose = gettext_lazy("Your referral link and your rewards.")
    template = "web/programs/referral.html"

    def show(self) -> Values:
        refer = self.require_ok(self.ask_private("GET", "refer-program")).data["referProgram"]
        partner = self.require_ok(self.ask_private("GET", "partner-program")).data
        state, tone = PARTNERSHIPS.get(partner["status"], (partner["status"], "none"))
        return {
            "refer": refer,
            "brought": self.people("refer-program/referrals") if refer["counts"]["referrals"] else [],
            "partner": partner,
            "partner_brought": self.people("partner-program/referrals") if partner["counts"]["referrals"] else [],
            "partner_state": state,
            "partner_tone": tone,
            "may_ask": partner["status"] in MAY_ASK,
        }

    def people(self, path: str) -> list[JsonObject]:
        """Return the first referrals of a program."""
        answer = self.ask_private("GET", path, {"p": "1", "n": str(SIZE)})
        content = answer.data if answer.ok else []
        return [referral_row(referral) for referral in (content["referrals"] if isinstance(content, dict) else content)]

    def do_join(self) -> HttpResponse:
        return self._take_part("active", _("You joined. Share your link."))

    def do_leave(self) -> HttpResponse:
        return self._take_part("inactive", _("Your referral link is now inactive"))

    def _take_part(self, status: str, text: str) -> HttpResponse:
        answer = self.ask_private("PUT", "refer-program", None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def do_request(self) -> HttpResponse:
        note = self.request.POST.get("requestNote", "").strip()
        answer = self.ask_private("POST", "partner-program/request", None, {"requestNote": note})
        return self.redirect_with_toast(_("Request sent. We will email you.")) if answer.ok else self.refuse(answer)


def referral_row(referral: Values) -> JsonObject:
    return {**referral, "reward": REWARDS.get(referral["rewardState"], "")}


PAGES = [Referral]
