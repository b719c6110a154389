"""The pages of social apps: the list of connected apps, the form of one, and the forms of its pages."""

from __future__ import annotations

from functools import cached_property
from urllib.parse import quote

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form
from core.web.navigation.places import FORMS_MENU, SETTINGS, MenuItem
from core.web.pages import Page
from core.web.prefills import edited_record

LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
STORED_HINT = gettext_lazy("Stored encrypted. Leave empty to keep it.")
GUESSED = {
    "email": "email",
    "work_email": "email",
    "full_name": "name",
    "name": "name",
    "phone_number": "number",
    "work_phone_number": "number",
}
"""Key of a question at the platform -> the default field for its answer."""


class SocialSettings(Page):
    """Shared parts of the pages of social apps."""

    module = "apps"
    menu = MenuItem(
        gettext_lazy("Social accounts"),
        SETTINGS,
        30,
        "megaphone",
        gettext_lazy("Connections"),
        gettext_lazy("social apps facebook instagram linkedin lead ads"),
    )


class SocialApps(SocialSettings):
    path = "settings/social"
    name = "social-apps"
    title = gettext_lazy("Social accounts")
    purpose = gettext_lazy("Import leads from social media ads.")
    template = "web/social_apps/list.html"

    def show(self) -> Values:
        return {"apps": self.read("apps/social-a", LIST).data}

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/social-a/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        if not answer.data["ok"]:
            return self.fail(_("Test failed: %(detail)s") % {"detail": answer.data["detail"]})
        return self.redirect_with_toast(_("Connection works. Pages updated."))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "apps/social-a", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(_("Removed. Leads are kept.")) if answer.ok else self.refuse(answer)


class SocialAppForm(SocialSettings):
    """The form of a social app. The address has the id of an existing one."""

    path = "settings/social/app"
    name = "social-app"
    title = gettext_lazy("Connect a social account")
    template = "web/social_apps/form.html"

    @cached_property
    def stored_values(self) -> Values | None:
        app: Values | None = edited_record(self, "apps/social-a", self.request.GET.get("id", ""))
        return app

    def form(self) -> Form:
        kept = STORED_HINT if self.stored_values else ""
        fields = [
            Field("name", _("Name")),
            Field("appId", _("App ID"), required=True),
            Field(
                "appSecret",
                _("App secret"),
                "password",
                self.stored_values is None,
                help_text=kept,
                autocomplete="new-password",
            ),
            Field(
                "userToken",
                _("User token"),
                "password",
                self.stored_values is None,
                help_text=kept,
                autocomplete="new-password",
            ),
            *([Field("isActive", _("Active"), "switch")] if self.stored_values else []),
        ]
        return Form(fields=fields, initial=self.stored_values)

    def show(self) -> Values:
        action = "POST" if self.stored_values is None else "PUT"
        return {"form": self.form() if self.may("apps", action) else None, "app": self.stored_values}

    def do_save(self) -> HttpResponse:
        form, before = self.form().bind(self.request.POST), self.stored_values
        if not form.is_valid():
            return self.page({"form": form, "app": before}, status=422)
        if before is None:
            answer = self.ask("POST", "apps/social-a", None, form.values)
        else:
            values = {name: value for name, value in form.changed(before).items() if value != ""}
            answer = self.ask("PUT", f"apps/social-a/{before['_id']}", None, values)
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form, "app": before}, status=422)
        return self.redirect_with_toast(
            _("Saved"), self.address("social-app", id=answer.data["_id"]) if not before else ""
        )


class SocialForms(Page):
    """Take the leads of an ad's form: choose the app, its page, and the form there."""

    path = "forms/ads"
    name = "social-forms"
    title = gettext_lazy("Form of an ad")
    module = "apps"
    template = "web/social_apps/forms.html"
    menu = FORMS_MENU

    def show(self) -> Values:
        app, page = self.request.GET.get("app", ""), self.request.GET.get("page", "")
        context: JsonObject = {"apps": self.read("apps/social-a", LIST).data, "app": app, "page_id": page}
        if app and not any(entry["_id"] == app for entry in context["apps"]):
            self.add_error_toast(_("This account no longer exists. Choose another."))
            return {**context, "app": ""}
        if is_id(app):
            context["pages"] = self.read(f"apps/social-a/{app}/pages").data["pages"]
        if is_id(app) and page.isalnum():
            answer = self.ask("GET", f"apps/social-a/{app}/pages/{quote(page)}/forms")
            context |= {"forms": answer.data["forms"]} if answer.ok else {"trouble": answer.refusal}
        return context

    def do_take(self) -> HttpResponse:
        app, page, form_id = (self.request.POST.get(name, "") for name in ("app", "page", "form"))
        if not is_id(app) or not page.isalnum():
            return self.fail(_("Choose an app and a page first"))
        answer = self.ask("GET", f"apps/social-a/{app}/pages/{quote(page)}/forms")
        if not answer.ok:
            return self.refuse(answer)
        chosen = next((form for form in answer.data["forms"] if form["formId"] == form_id), None)
        if chosen is None:
            return self.fail(_("This form was deleted at the page"))
        response = self.ask("POST", "form", None, self.body(app, page, chosen))
        if not response.ok:
            return self.refuse(response)
        return self.redirect_with_toast(
            _("Map the answers, then publish the form"), self.address("form", response.data["_id"])
        )

    def body(self, app: str, page: str, chosen: Values) -> JsonObject:
        fields = [
            {"key": field["key"], "label": field["label"] or field["key"], "type": "text"} for field in chosen["fields"]
        ]
        mapping: dict[str, str] = {}
        for field in fields:
            target = GUESSED.get(field["key"].lower(), "")
            if target and target not in mapping.values():
                mapping[field["key"]] = target
        place = {"source": "social-a", "app": app, "pageId": page, "formId": chosen["formId"]}
        return {"name": chosen["name"] or chosen["formId"], **place, "fields": fields, "mapping": mapping}


PAGES = [SocialApps, SocialAppForm, SocialForms]
