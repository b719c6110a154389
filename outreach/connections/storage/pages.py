"""The pages of file storage and card readers: the company's buckets and OCR apps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Fieldset, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.prefills import edited_record
from core.web.records import shown_value

LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
READERS = {"local": gettext_lazy("Built-in reader"), "ocr-space": "OCR.space"}
HAPPENED = {
    "unreachable": gettext_lazy("The storage does not answer."),
    "slow": gettext_lazy("The storage does not answer."),
    "refused": gettext_lazy("This address is not allowed."),
    "invalid": gettext_lazy("This address has no S3 storage."),
    "InvalidAccessKeyId": gettext_lazy("The access key is wrong."),
    "SignatureDoesNotMatch": gettext_lazy("The secret key is wrong."),
}
"""Code of a failed test -> its description."""
STORED_HINT = gettext_lazy("Stored encrypted. Leave empty to keep it.")


class StoragePage(Page):
    """Shared parts of these pages."""

    module = "apps"
    menu = MenuItem(
        gettext_lazy("Storage and cards"),
        SETTINGS,
        60,
        "hard-drive",
        gettext_lazy("Connections"),
        gettext_lazy("bucket s3 files business card scanner reader ocr"),
        needs="PUT",
    )


class Storage(StoragePage):
    path = "settings/storage"
    name = "storage"
    title = gettext_lazy("Storage and cards")
    purpose = gettext_lazy("File storage and business card scanner.")
    template = "web/storage/apps.html"

    def show(self) -> Values:
        readers = self.read("apps/ocr", LIST).data
        return {
            "buckets": self.read("apps/bucket", LIST).data,
            "readers": [{**reader, "words": READERS.get(reader["name"], reader["name"])} for reader in readers],
        }

    @property
    def sent(self) -> str:
        """The address of the app that a button is about."""
        kind = "ocr" if self.request.POST.get("kind") == "ocr" else "bucket"
        return f"apps/{kind}/{self.sent_id()}"

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.sent}/test")
        if not answer.ok:
            return self.refuse(answer)
        check = answer.data
        if not check["ok"]:
            return self.fail(_("Test failed: %(detail)s") % {"detail": check["detail"]})
        text = (
            _("Test passed: read “%(text)s” in %(seconds)s seconds")
            if "text" in check
            else _("Test passed: a file was written and deleted in %(seconds)s seconds")
        )
        return self.redirect_with_toast(text % {**check, "seconds": f"{check['milliseconds'] / 1000:.1f}"})

    def do_default(self) -> HttpResponse:
        return self._change({"isDefault": True}, _("Now used by default"))

    def do_on(self) -> HttpResponse:
        return self._change({"isActive": True}, _("Switched on"))

    def do_off(self) -> HttpResponse:
        return self._change({"isActive": False}, _("Switched off"))

    def _change(self, values: Values, message: str) -> HttpResponse:
        answer = self.ask("PUT", self.sent, None, values)
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)


def refuse_app(form: Form, answer: Answer) -> None:
    """Put a refusal into the form. If the test of the storage failed, the test's error replaces the message."""
    if "denied" not in answer.params:  # a refusal of rights or of a value
        form.refuse(answer)
        return
    default = _("The keys are refused.") if answer.params["denied"] else _("The storage refused.")
    form.add_error(None, f"{HAPPENED.get(answer.code, default)} {answer.params['detail']}")
    form.ask_again()


class AppForm(StoragePage):
    """The form of an app. The address has the id of an existing one."""

    template = "web/storage/form.html"
    fieldsets: ClassVar[Sequence[Fieldset]] = ()
    kind = ""
    explained = ""

    @cached_property
    def stored_values(self) -> JsonObject | None:
        app: JsonObject | None = edited_record(self, f"apps/{self.kind}", self.request.GET.get("id", ""))
        return app

    def fields(self, exists: bool) -> list[Field]:
        raise NotImplementedError

    def form(self) -> Form:
        return Form(
            fields=self.fields(self.stored_values is not None), initial=self.stored_values, fieldsets=self.fieldsets
        )

    def show(self) -> Values:
        form = self.form()
        if self.may("apps", "POST" if self.stored_values is None else "PUT"):
            return self.context(form)
        facts = [(field.label, shown_value(field, self.reader.formats)) for field in form if field.kind != "password"]
        return {**self.context(None), "facts": facts if self.stored_values else []}

    def context(self, form: Form | None) -> JsonObject:
        title = self.title if self.stored_values is None else self.named(self.stored_values)
        return {"form": form, "title": title, "about": self.explained, "app": self.stored_values}

    def named(self, app: Values) -> str:
        return str(app["name"])

    def do_save(self) -> HttpResponse:
        form, before = self.form().bind(self.request.POST), self.stored_values
        if not form.is_valid():
            return self.page(self.context(form), status=422)
        if before is None:
            values = {name: value for name, value in form.values.items() if value not in ("", None)}
            answer = self.ask("POST", f"apps/{self.kind}", None, values)
        else:
            answer = self.ask("PUT", f"apps/{self.kind}/{before['_id']}", None, form.changed(before))
        if not answer.ok:
            refuse_app(form, answer)
            return self.page(self.context(form), status=422)
        return self.redirect_with_toast(_("Connected") if before is None else _("Saved"), self.address("storage"))


class BucketForm(AppForm):
    path = "settings/storage/bucket"
    name = "bucket"
    title = gettext_lazy("Connect a bucket")
    fieldsets = (
        Fieldset(gettext_lazy("Bucket"), (("name", "region"), ("endpoint", "subpath"))),
        Fieldset(gettext_lazy("Access"), (("accesskey", "secretkey"),)),
    )
    kind = "bucket"
    explained = gettext_lazy("Amazon S3 or a compatible storage. New files are stored there; existing files stay.")

    def fields(self, exists: bool) -> list[Field]:
        help = STORED_HINT if exists else ""
        return [
            Field("name", _("Bucket name"), required=True, placeholder="acme-files"),
            Field("region", _("Region"), required=True, placeholder="eu-central-1"),
            Field(
                "endpoint",
                _("Address"),
                "url",
                placeholder="https://s3.example.org",
                help_text=_("Leave empty for Amazon S3."),
            ),
            Field(
                "subpath", _("Folder"), placeholder="crm/files", help_text=_("Leave empty for the top of the bucket.")
            ),
            Field("accesskey", _("Access key"), "password", required=not exists, autocomplete="off", help_text=help),
            Field("secretkey", _("Secret key"), "password", required=not exists, autocomplete="off", help_text=help),
        ]


class ReaderForm(AppForm):
    path = "settings/storage/reader"
    name = "reader"
    title = gettext_lazy("Connect a card reader")
    kind = "ocr"
    explained = gettext_lazy("Reads photos of business cards. Uncertain values stay empty.")

    def fields(self, exists: bool) -> list[Field]:
        kinds = [Option(value, label) for value, label in READERS.items()]
        help = STORED_HINT if exists else _("Not needed for the built-in reader.")
        return [
            Field("name", _("Card reader"), "select", required=True, options=kinds, initial="local"),
            Field("key", _("Key"), "password", autocomplete="off", help_text=help),
            Field(
                "confidence",
                _("Minimum confidence"),
                "number",
                initial=0.9,
                help_text=_("From 0 to 1. Less certain values stay empty. Recommended: 0.9."),
            ),
        ]

    def named(self, app: Values) -> str:
        name: str = app["name"]
        return READERS.get(name, name)


PAGES = [Storage, BucketForm, ReaderForm]
