"""The base of pages: their reader, their calls to the API, the actions of their forms, and their rendering."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views import View

from core.access import Actor, Entitlement, cache_entitlements, entitlement
from core.errors import PERMISSION, NamedError
from core.ids import is_id
from core.tenancy import company_scope
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web import ask
from core.web.ask import Answer, NoOperation
from core.web.forms import Form, Option
from core.web.navigation.places import SETTINGS, MenuItem, Place
from core.web.navigation.recent import remember
from core.web.readers import NoSession, Reader, reader_source
from core.web.toasts import Toast
from core.web.visits import read_only_block
from core.web.words.cures import remedy_key, remedy_text
from core.web.words.unusable import OF_ORDER, UNUSABLE, unusable_parameter

PROTECTED, PRIVATE = "api/protected", "api/private"
MAX_OPTIONS = 200
WHOLE, PART = "web/base.html", "web/bare.html"
"""The templates around a page: the shell, and nothing."""


class PageError(Exception):
    """The page cannot be shown. `detail` has the reason, and the next step."""

    is_beyond_plan = False

    def __init__(self, status: int, message: str, detail: str = "", *, lapsed: bool = False) -> None:
        self.status = status
        self.message = message
        self.detail = detail
        self.lapsed = lapsed
        super().__init__(message)


def page_not_found() -> PageError:
    """Return the refusal of an address without a page."""
    return PageError(404, _("Page not found"), _("The page may have been deleted, or the link is incomplete."))


class Page(View):
    """A page of a company's members, at /c/<company id>/<path>.

    `show` returns the context of `template`. A form's button `name="do" value="delete"` calls `do_delete`.
    """

    path: ClassVar[str] = ""
    """The address below the company, with parameters as Django writes them: contacts/<str:id>."""
    name: ClassVar[str] = ""
    """The name of the address: {% page_url "contacts" %}, self.address("contacts")."""
    title: ClassVar[str] = ""
    tab_name: ClassVar[str] = ""
    """Label of the page after a record's name in the title of its tab. By default its title."""
    template: ClassVar[str] = ""
    module: ClassVar[str] = ""
    """The permission module whose GET opens the page. Without one every member may see it."""
    alternate_modules: ClassVar[tuple[str, ...]] = ()
    """Other modules that open it."""
    menu: ClassVar[MenuItem | None] = None
    """The entry of the navigation that it belongs to. The first page that is registered with it is its link."""
    menu_place: Place | None = None
    """The place that is marked in the navigation, where it is another one than the entry's."""
    purpose: ClassVar[str] = ""
    """Its purpose, in a sentence, on the first page of settings."""
    record_kind: ClassVar[tuple[str, str]] = ("", "")
    """The kind of records (of the API's search) of which the page shows one, and the label for several."""
    action: ClassVar[str] = ""
    """Label of the page's primary action, shown to users with POST permission: "New contact"."""
    needs_subscription: ClassVar[bool] = True
    personal: ClassVar[bool] = False
    """It is about the reader, not the company, so that staff on a visit do not see it."""
    http_method_names = ["get", "head", "post"]

    reader: Reader
    params: Mapping[str, str]
    """The parameters of the address."""
    request: HttpRequest

    # What a page implements

    def show(self) -> Values:
        """Return the context of the template."""
        return {}

    # What a page uses

    def ask(self, method: str, path: str, query: Values | None = None, body: Any = None) -> Answer:
        """Ask the protected API as the reader. The answer may be a refusal."""
        return self._ask(self.actor, PROTECTED, method, path, query, body)

    def upload(self, name: str = "file") -> Answer:
        """Upload the files that a form sent. `data` is one File, or a list of several."""
        files = self.request.FILES.getlist(name)
        answer = ask.ask(self.actor, PROTECTED, "POST", "upload", files=files, caller=self.request)
        ask.with_ids(answer.body)
        return answer

    def download(self, path: str, query: Values | None = None) -> HttpResponse:
        """Return the API's stream at the path, as this page's own response. Raises PageError for a refusal."""
        if self.reader.visit:
            raise PageError(403, _("A visit shows pages, no files"), _("Ask the company's people for the file."))
        response, declared = ask.respond(self.actor, PROTECTED, "GET", path, query, caller=self.request)
        if response.status_code >= 400:
            self.require_ok(ask.answer_of(response, declared))
        http_response: HttpResponse = response
        return http_response

    def ask_private(self, method: str, path: str, query: Values | None = None, body: Any = None) -> Answer:
        """Ask the private API, where the reader acts for themselves."""
        return self._ask(self.reader.person, PRIVATE, method, path, query, body)

    def read(self, path: str, query: Values | None = None) -> Answer:
        """GET the subject of the page. A refusal replaces the page.

        Unusable parameters of the address, such as an order by a deleted column, are dropped from a list, and a toast
        states it.
        """
        answer = self.ask("GET", path, query)
        params = dict(query or {})
        lost = []
        while answer.status == 400 and (name := unusable_parameter(answer, params)):
            lost.append(UNUSABLE[name])
            params = {
                parameter: value for parameter, value in params.items() if parameter not in (name, OF_ORDER.get(name))
            }
            answer = self.ask("GET", path, params)
        if lost and answer.ok:
            names = ", ".join(map(str, lost))
            self.add_error_toast(_("Some parts of this link are unknown. Shown without: %(names)s.") % {"names": names})
        return self.require_ok(answer)

    def require_ok(self, answer: Answer) -> Answer:
        """Return the answer. Raises PageError if it is a refusal, with 404 for a record that is not there."""
        if answer.ok:
            return answer
        # A malformed id in an address gets 400 of the API; for a person that page does not exist.
        if answer.status == 404 or (answer.status == 400 and self.params):
            raise page_not_found()
        detail = ask.NOT_ALLOWED if answer.code == PERMISSION else answer.reason
        raise PageError(answer.status if answer.status < 500 else 503, answer.message.removesuffix("."), detail)

    def options_of(self, path: str, *, module: str = "", fields: str = "name", **query: Any) -> list[Option]:
        """Return the first records of a list by name, to choose from; none if the reader may not see them.

        `module` is the list's if it differs from its path; `fields` are the names of a record, of which the first
        non-empty one is used.
        """
        if not self.may(module or path):
            return []
        params = {"p": "1", "n": str(MAX_OPTIONS), "sortBy": "name", "sortOrder": "asc", "fields": fields}
        answer = self.ask("GET", path, {**params, **query})
        names = fields.split(",")
        return [
            Option(row["_id"], next((row[name] for name in names if row[name]), ""))
            for row in (answer.data if answer.ok else ())
        ]

    @property
    def actor(self) -> Actor:
        """The reader as a member of the page's company."""
        if self.reader.member is None:
            raise PageError(403, _("Choose a company first"))
        return self.reader.member

    @property
    def zone_name(self) -> str:
        """The name of the company's time zone, whose days and clocks the page means."""
        return self.reader.formats.timezone

    @property
    def label(self) -> str:
        """The label of the page, with which its tab's title ends where that is a record's."""
        return self.tab_name or self.title

    @cached_property
    def plan(self) -> Entitlement | NamedError:
        """Return the company's entitlement, or the error if there is no active subscription."""
        with company_scope(self.actor.company_id, self.actor.own_records):
            try:
                return entitlement(self.actor.company_id)
            except NamedError as error:
                return error

    def may(self, module: str, method: str = "GET") -> bool:
        """Return whether role and plan allow the method on the module, so that the page shows no action in vain."""
        if self.reader.member is None or not self.reader.member.may(module, method):
            return False
        return isinstance(self.plan, Entitlement) and (self.plan.modules is None or module in self.plan.modules)

    def may_open(self, page: type[Page]) -> bool:
        """Return whether the reader may open a page. One that needs no subscription is open by role alone."""
        if page.personal and self.reader.visit:
            return False
        may = self.may if page.needs_subscription or self.reader.member is None else self.reader.member.may
        return not page.module or any(may(module, "GET") for module in (page.module, *page.alternate_modules))

    def address(self, name: str = "", *args: str, **query: Any) -> str:
        """Return the address of a page of the company, by default of this one."""
        path = reverse(f"web:{name}", args=[self.reader.company_id, *args]) if name else self.request.path
        return f"{path}?{urlencode(query, doseq=True)}" if query else path

    def sent_id(self, name: str = "id") -> str:
        """Return an id that a form sent. Raises PageError for anything else, which must not become a part of a path."""
        value = self.request.POST.get(name, "")
        if not is_id(value):
            raise PageError(400, _("This form is not complete"), _("%(name)s is missing.") % {"name": name})
        return value

    def add_toast(self, text: str, *, undo: str = "", watch: str = "", back: Mapping[str, str] | None = None) -> None:
        """Put a toast on the page that comes next. `undo`, `watch` and `back` are as for `redirect_with_toast`."""
        tags = f"watch {watch}" if watch else ""
        if undo:
            tags = f"undo {undo}"
        if back:
            tags = f"back {json.dumps(back)}"
        messages.success(self.request, str(text), extra_tags=tags)  # as the reader reads it, not as data

    def redirect_with_toast(
        self, text: str = "", to: str = "", *, undo: str = "", watch: str = "", back: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Redirect after a form, to this page by default, with a toast.

        `undo` is the bulk job that can be undone, `watch` a running one, whose progress the toast shows. `back` has the
        fields of the form on the page `to` that restores the former state, with TIMED for some seconds only.
        """
        if text:
            target = to or self.request.get_full_path()
            self.add_toast(text, undo=undo, watch=watch, back={**back, "address": target} if back else None)
        response = HttpResponseRedirect(to or self.request.get_full_path())
        response.status_code = 303
        return response

    def report_unchanged(self, to: str = "") -> HttpResponse:
        """Redirect after a form without changes, with a toast that states it."""
        return self.redirect_with_toast(_("Nothing to save: nothing was changed"), to)

    def refuse(self, answer: Answer, to: str = "") -> HttpResponse:
        """Lead back after a refusal that belongs to no field, with the reason as a toast."""
        self.add_error_toast(remedy_text(answer) or answer.refusal, remedy_key(answer))
        return self.redirect_with_toast(to=to)

    def add_error_toast(self, text: str, remedy: str = "") -> None:
        """Put a toast about something that went wrong on the page that comes next, with the cures of a refusal."""
        messages.error(self.request, text, extra_tags=f"remedy {remedy}" if remedy else "")

    def fail(self, text: str, to: str = "") -> HttpResponse:
        """Redirect after a failure, with the error as a toast."""
        self.add_error_toast(text)
        return self.redirect_with_toast(to=to)

    def invalid(self, form: Form, answer: Answer | None = None, **context: Any) -> HttpResponse:
        """Show the page again with the form and the API's errors, at the fields that they name."""
        if answer is not None:
            form.refuse(answer)
        return self.page({**self.show(), **context, "form": form}, status=422)

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        """Render a page."""
        with timezone.override(zone_of(self.reader.formats.timezone)):
            shared = {"page": self, "reader": self.reader, "title": self.title, "base": self.frame}
            shared["toasts"] = [Toast.from_message(message) for message in messages.get_messages(self.request)]
            return render(self.request, template or self.template, {**shared, **context}, status=status)

    # How it is served

    @property
    def frame(self) -> str:
        """The template around the page: without side bar for the requests of the page itself, which take a part."""
        headers = self.request.headers
        partial = "HX-Request" in headers and "HX-History-Restore-Request" not in headers
        return PART if partial else WHOLE

    def find_reader(self, company: str = "", **params: str) -> Reader:
        """Return the reader. Raises NoSession, or Http404 for a company that they are no member of."""
        reader = reader_source().member(self.request, company)
        if reader is None:
            raise Http404("no membership of this company")
        return reader

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with cache_entitlements():
            return self._serve(request, kwargs)

    def _serve(self, request: HttpRequest, kwargs: Mapping[str, str]) -> HttpResponse:
        try:
            self.reader = self.find_reader(**kwargs)
        except NoSession as error:
            return self._to_login(error.address)
        self.params = {name: value for name, value in kwargs.items() if name != "company"}
        try:
            self._check_access()
            handler = getattr(self, (request.method or "").lower(), self.not_allowed)
            response: HttpResponse = handler(request)
        except PageError as error:
            context = {"refused": error, "title": error.message}
            response = self.page(context, template="web/refused.html", status=error.status)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    def get(self, request: HttpRequest) -> HttpResponse:
        context = self.show()
        self._remember(context)
        return self.page(context)

    def _remember(self, context: Values) -> None:
        """Keep the record of the page for the palette. Settings and visits of staff are left out."""
        is_record = self.record_kind[0] and "id" in self.params and self.menu and self.menu.place != SETTINGS
        if is_record and not self.reader.visit and self.frame == WHOLE:
            title = str(context.get("title") or self.title or self.label)
            remember(self.request, self.reader.company_id, self.name, self.params["id"], title)

    def post(self, request: HttpRequest) -> HttpResponse:
        name = request.POST.get("do", "save")
        act = getattr(self, f"do_{name}", None) if name.isidentifier() else None
        if act is None:
            raise self._no_action()
        try:
            response: HttpResponse = act()
        except NoOperation as error:
            # The page shows no button for it, such as for a campaign without a run.
            raise self._no_action() from error
        return response

    def _no_action(self) -> PageError:
        return PageError(400, _("This page has no such action"), _("Use the buttons on the page."))

    def not_allowed(self, request: HttpRequest) -> HttpResponse:
        raise PageError(405, _("This action is not available here"), _("Use the buttons on the page."))

    def _check_access(self) -> None:
        if self.reader.visit and self.request.method == "POST":
            raise PageError(403, _("Read-only view"), _("You are viewing as the company, read-only."))
        if self.needs_subscription and isinstance(self.plan, NamedError):
            # The message of the error is the contract's, and no words for people.
            raise PageError(403, _("Your subscription has ended"), self.plan.detail, lapsed=True)
        modules = (self.module, *self.alternate_modules)
        if not self.may_open(type(self)) and any(self.actor.may(module, "GET") for module in modules if module):
            refusal = PageError(403, _("Your plan doesn't include this page"), _("Ask an owner to change the plan."))
            refusal.is_beyond_plan = True
            raise refusal
        if not self.may_open(type(self)):
            raise PageError(403, _("You don't have access to this page"), _("Ask an owner for the permission."))
        # The API has addresses next to its records, such as contact/import, which are no page of a record.
        if "id" in self.params and not is_id(self.params["id"]):
            raise page_not_found()

    def _ask(self, actor: Actor, mount: str, method: str, path: str, query: Values | None, body: Any) -> Answer:
        if self.reader.visit and method != "GET":
            raise PageError(
                403,
                _("Not available while viewing as the company"),
                _("Only people with edit access can open this page."),
            )
        with read_only_block() if self.reader.visit else nullcontext():
            answer = ask.ask(actor, mount, method, path, query, body, caller=self.request)
        ask.with_ids(answer.body)
        return answer

    def _to_login(self, instead: str) -> HttpResponse:
        address = instead or reverse("pages:login")
        if self.request.method == "GET" and not instead:
            address += "?" + urlencode({"next": self.request.get_full_path()})
        if "HX-Request" in self.request.headers:  # the log-in page would stand in the place of a part
            return HttpResponse(status=204, headers={"HX-Redirect": address})
        return HttpResponseRedirect(address)


class PersonPage(Page):
    """A page of the person, at the address itself: no company is in it, and no subscription is needed."""

    personal = True
    needs_subscription = False

    def find_reader(self, company: str = "", **params: str) -> Reader:
        return reader_source().person(self.request)

    def address(self, name: str = "", *args: str, **query: Any) -> str:
        if name and self.reader.member is None:
            return "/account"
        return super().address(name, *args, **query)
