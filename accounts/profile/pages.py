"""The page of one's own account: name, preferences, password, companies and invites."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from accounts.auth.passwords.serializers import PasswordChange
from accounts.profile.serializers import ProfileUpdate
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form, Option
from core.web.forms.from_input import form_from_input
from core.web.navigation.menu import opened_items
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import PersonPage
from core.web.readers import reader_source

THEMES = [
    Option("", gettext_lazy("Same as device")),
    Option("light", gettext_lazy("Light")),
    Option("dark", gettext_lazy("Dark")),
]
DENSITIES = [
    Option("", gettext_lazy("Default")),
    Option("compact", gettext_lazy("Compact")),
    Option("roomy", gettext_lazy("Comfortable")),
]
ZONE = gettext_lazy("Type a city, such as Berlin. Leave empty to use the company's.")
CHOSEN = ("theme", "density", "start", "timezone")
"""Keys of the layout that this page sets."""
WORKING = ("owner", "accepted")


ProfileForm = form_from_input(
    ProfileUpdate, {"name": gettext_lazy("Your name")}, autocomplete={"name": "name"}, required=("name",)
)
SignatureForm = form_from_input(
    ProfileUpdate,
    {"signature": gettext_lazy("Signature")},
    kinds={"signature": "textarea"},
    help_texts={"signature": gettext_lazy("Below emails that you write to one person. Plain text or HTML.")},
)
PasswordForm = form_from_input(
    PasswordChange,
    {"currentPassword": gettext_lazy("Current password"), "newPassword": gettext_lazy("New password")},
    kinds={"currentPassword": "password", "newPassword": "password"},
    help_texts={"newPassword": gettext_lazy("At least 8 characters. Other sessions will be logged out.")},
    autocomplete={"currentPassword": "current-password", "newPassword": "new-password"},
    required=(),
)


class Account(PersonPage):
    path = name = "account"
    title = gettext_lazy("Your account")
    menu = MenuItem(
        gettext_lazy("Profile and preferences"),
        SETTINGS,
        10,
        "circle-user",
        gettext_lazy("Your account"),
        gettext_lazy(
            "profile password theme dark light mode appearance time zone timezone start page companies invites"
            " signature"
        ),
    )
    purpose = gettext_lazy("Your name, password, theme, time zone and companies.")
    template = "web/account/account.html"

    def show(self) -> Values:
        profile = self.require_ok(self.ask_private("GET", "profile")).data
        invites = self.ask_private("GET", "invites", {"p": "1", "n": "20"})
        return {
            "profile": profile,
            "profile_form": self.profile_form(profile),
            "signature_form": SignatureForm(initial=profile),
            "preferences_form": self.preferences_form(),
            "password_form": self.password_form(),
            "companies": [membership for membership in profile["memberships"] if membership["status"] in WORKING],
            "invites": invites.data if invites.ok else [],
        }

    def profile_form(self, profile: Values | None = None) -> Form:
        return ProfileForm(initial=profile)

    def preferences_form(self) -> Form:
        """Return the form of the person's layout."""
        starts = [
            Option(page.name, item.label)
            for item, page in opened_items(self)
            if page.path and not issubclass(page, PersonPage)
        ]
        zones = self.ask_private("GET", "timezones")
        hours = [Option(row["name"], row["label"]) for row in zones.data["timezones"]] if zones.ok else []
        fields = [
            Field("theme", _("Theme"), "radio", options=THEMES),
            Field("density", _("List density"), "radio", options=DENSITIES),
            Field("start", _("Start page"), "select", options=starts, placeholder=_("Home")),
            Field("timezone", _("Time zone"), "search", options=hours, help_text=ZONE),
        ]
        return Form(fields=fields, initial={name: self.reader.layout.get(name, "") for name in CHOSEN})

    def password_form(self) -> Form:
        return PasswordForm()

    def do_profile(self) -> HttpResponse:
        form = self.profile_form().bind(self.request.POST)
        answer = self.ask_private("PUT", "profile", None, form.values)
        if not answer.ok:
            form.refuse(answer)
            return self.page({**self.show(), "profile_form": form}, status=422)
        return self.redirect_with_toast(_("Saved"))

    def do_signature(self) -> HttpResponse:
        form = SignatureForm().bind(self.request.POST)
        answer = self.ask_private("PUT", "profile", None, form.values)
        if not answer.ok:
            form.refuse(answer)
            return self.page({**self.show(), "signature_form": form}, status=422)
        return self.redirect_with_toast(_("Saved"))

    def do_preferences(self) -> HttpResponse:
        form = self.preferences_form().bind(self.request.POST)
        offered = {field.name: {option.value for option in field.options} for field in form}
        preferences = {name: value for name, value in form.values.items() if value and value in offered[name]}
        if form.values["timezone"] and "timezone" not in preferences:
            form.add_error("timezone", _("Choose a time zone from the list."))
            return self.page({**self.show(), "preferences_form": form}, status=422)
        other_preferences = {name: value for name, value in self.reader.layout.items() if name not in CHOSEN}
        body = {"layout": {**other_preferences, **preferences}, "darkMode": preferences.get("theme") == "dark"}
        answer = self.ask_private("PUT", "profile", None, body)
        return self.redirect_with_toast(_("Saved")) if answer.ok else self.refuse(answer)

    def do_password(self) -> HttpResponse:
        form = self.password_form().bind(self.request.POST)
        answer = self.ask_private("PUT", "change-password", None, form.values)
        if not answer.ok:
            form.refuse(answer)
            # 429 passes through, since clients back off by the status.
            status = answer.status if answer.status == 429 else 422
            return self.page({**self.show(), "password_form": form}, status=status)
        reader_source().renew(self.request, answer.data["token"])
        return self.redirect_with_toast(_("Your new password is set. Other sessions have ended."))

    def do_accept(self) -> HttpResponse:
        return self._answer_invite("accepted", _("You are a member now"))

    def do_decline(self) -> HttpResponse:
        return self._answer_invite("rejected", _("Invite declined"))

    def _answer_invite(self, status: str, text: str) -> HttpResponse:
        answer = self.ask_private("POST", f"invite/{self.sent_id()}", None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)


PAGES = [Account]
