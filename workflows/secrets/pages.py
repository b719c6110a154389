"""The pages of secrets: the list, a form that keeps one, and one, whose value no page shows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.forms import Field, Form
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page, PageError, page_not_found
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

SECRETS = Records(
    "workflow/secrets", "secrets", "key-round", gettext_lazy("Keys and passwords for workflow requests to one host.")
)


class SecretPage(Page):
    module = "workflow"
    menu = MenuItem(
        gettext_lazy("Secrets"),
        SETTINGS,
        30,
        "lock",
        gettext_lazy("Developers"),
        gettext_lazy("credentials tokens passwords workflows"),
        needs="POST",
    )
    kind = SECRETS


class Secrets(RecordList, SecretPage):
    path = "settings/secrets"
    name = "secrets"
    title = gettext_lazy("Secrets")
    purpose = gettext_lazy("Passwords and tokens for workflow requests.")
    adds = "secret-new"
    add_label = gettext_lazy("New secret")
    none = gettext_lazy("No secrets yet")
    count = ngettext_lazy("%(count)s secret", "%(count)s secrets")
    rows = "web/workflows/secret_rows.html"
    hint = gettext_lazy("Name, host")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("host", gettext_lazy("Host"), "host"),
        Column("lastUsedAt", gettext_lazy("Last used"), "lastUsedAt"),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )


class SecretForm(RecordForm, SecretPage):
    def form(self, values: Values | None = None) -> Form:
        host = _("The secret is sent to this host only.")
        value = _("Stored encrypted. For a username and password, enter user:password.")
        fields = [
            Field("name", _("Name"), required=True, autofocus=True),
            Field("host", _("Host"), required=True, placeholder="api.example.org", help_text=host),
            Field("value", _("Secret"), "password", required=True, autocomplete="new-password", help_text=value),
        ]
        return Form(fields=[field for field in fields if values is None or field.name in values], initial=values)


class NewSecret(NewRecord, SecretForm):
    path = "settings/secrets/new"
    name = "secret-new"
    title = gettext_lazy("New secret")
    added = gettext_lazy("Secret added")


class Secret(EditRecord, SecretForm):
    path = "settings/secrets/<str:id>"
    name = "secret"
    tab_name = gettext_lazy("Secret")
    saved = gettext_lazy("Secret saved")
    deleted = gettext_lazy("Secret deleted")

    @cached_property
    def record(self) -> Values:
        rows = self.read("workflow/secrets", {"ids": [self.params["id"]], "p": "1", "n": "1"}).data
        if not rows:
            raise page_not_found()
        return {"id": rows[0]["_id"], "name": rows[0]["name"], "host": rows[0]["host"]}

    def consequence(self) -> str:
        return _("Steps with this secret will fail. This can't be undone.")

    def show(self) -> Values:
        """Show the data of a secret, which cannot be changed."""
        values = [(field.label, field.value()) for field in self.form(self.record)]
        return {**self.context(), "form": None, "facts": values}

    def do_save(self) -> Any:
        raise PageError(400, _("Secrets can't be edited"), _("Delete it and add a new one."))


PAGES = [Secrets, NewSecret, Secret]
