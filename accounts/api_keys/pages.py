"""The pages of API keys: the list, a new one (shown once), and one that is revoked."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from accounts.api_keys.serializers import ApiKeyCreate
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Option
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

KEYS = Records("api", "keys", "key", gettext_lazy("Apps use the API with a key."))
LIFETIMES = [
    Option("", gettext_lazy("Until revoked")),
    Option("60", "1 hour"),
    Option("1440", "1 day"),
    Option("10080", "1 week"),
    Option("43200", "30 days"),
]


class KeyPage(Page):
    module = "api"
    menu = MenuItem(
        gettext_lazy("API keys"),
        SETTINGS,
        10,
        "key",
        gettext_lazy("Developers"),
        gettext_lazy("tokens access integrations"),
    )
    kind = KEYS


class Keys(RecordList, KeyPage):
    path = "settings/keys"
    name = "keys"
    title = gettext_lazy("API keys")
    purpose = gettext_lazy("Keys for apps to use the API.")
    adds = "key-new"
    add_label = gettext_lazy("New key")
    none = gettext_lazy("No keys yet")
    count = ngettext_lazy("%(count)s key", "%(count)s keys")
    rows = "web/keys/rows.html"
    hint = gettext_lazy("Creator")
    columns = (
        Column("maskedKey", gettext_lazy("Key")),
        Column("type", gettext_lazy("Expires"), "type"),
        Column("ipRestriction", gettext_lazy("Allowed IPs")),
        Column("createdBy", gettext_lazy("Created by")),
        Column("lastUsedAt", gettext_lazy("Last used"), "lastUsedAt"),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )


class NewKey(NewRecord, KeyPage):
    path = "settings/keys/new"
    name = "key-new"
    title = gettext_lazy("New API key")
    action = title
    added = gettext_lazy("Key added")
    save_label = gettext_lazy("Create key")

    form_class = form_from_input(
        ApiKeyCreate,
        {"durationMinutes": gettext_lazy("Valid"), "allowedIps": gettext_lazy("Only from")},
        kinds={"durationMinutes": "radio", "allowedIps": "textarea"},
        options={"durationMinutes": LIFETIMES},
        help_texts={"allowedIps": gettext_lazy("One IP address or network per line. Leave empty to allow all.")},
    )

    def body(self, values: Values) -> JsonObject:
        limits: JsonObject = {}
        if values["durationMinutes"].isdigit():
            limits |= {"type": "temporary", "durationMinutes": int(values["durationMinutes"])}
        if addresses := values["allowedIps"].split():
            limits |= {"ipRestriction": "restricted", "allowedIps": addresses}
        return limits

    def do_save(self) -> HttpResponse:
        """Make the key, and show it in the answer to the form: it is kept nowhere that could show it again."""
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "api", None, self.body(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.page({"key": answer.data["key"], "title": _("Your new key")}, template="web/keys/made.html")


class Key(EditRecord, RecordForm, KeyPage):
    path = "settings/keys/<str:id>"
    name = "key"
    tab_name = gettext_lazy("API key")
    template = "web/keys/detail.html"
    removable = True
    saved = gettext_lazy("Key saved")
    deleted = gettext_lazy("Key deleted")

    def context(self) -> JsonObject:
        key_values = {name: value for name, value in self.record.items() if name != "key"}
        title = _("Key that ends in %(masked_key)s") % {"masked_key": self.record["maskedKey"][-4:]}
        return {"record": key_values, "title": title}

    def show(self) -> Values:
        return self.context()

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "api", None, {"ids": [self.params["id"]]})
        return self.redirect_with_toast(_("Key revoked"), self.address("keys")) if answer.ok else self.refuse(answer)

    def do_save(self) -> HttpResponse:
        return self.redirect_with_toast(to=self.address("keys"))


PAGES = [Keys, NewKey, Key]
