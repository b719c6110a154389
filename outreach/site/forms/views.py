"""Endpoints of forms."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access.callers import caller_of
from core.api.cross_origin import CrossOriginViewSet
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import FieldError, NamedError, ValidationFailed, shorten
from core.ids import new_id
from core.tenancy import company_scope
from core.types import JsonObject
from crm.leads.schema import LeadSchema
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.social_apps.services import NOT_FOUND as NO_APP
from outreach.connections.social_apps.services import NOT_SUBSCRIBED, PAGE_ID, PAGE_TOKEN
from outreach.site.forms import services
from outreach.site.forms.filters import FORM_FIELDS, FORM_LEAD_FIELDS
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.serializers import (
    FormCreate,
    FormDelete,
    FormLeadOut,
    FormLeadStatus,
    FormOut,
    FormUpdate,
    PublicFormOut,
    PublicSubmit,
    SubmittedOut,
    TargetsOut,
)
from outreach.site.forms.submissions import (
    READS,
    SUBMISSIONS,
    UTM,
    find_published,
    fits_origin,
    issue_page_id,
    leads_to_retry,
    read_origin,
    read_page_id,
    read_submission,
    store_submission,
)
from outreach.site.forms.targets import INVALID, targets

NOT_FOUND = (services.NOT_FOUND,)
WRONG = (
    services.TAKEN,
    INVALID,
    services.FORM_ID,
    services.FORM_TOKEN,
    PAGE_ID,
    NO_APP,
    "TagNotFound_400",
    "ContactCategoryNotFound_400",
    "TeamNotFound_400",
)
NO_LEAD, NO_STATUS = "LeadIdOrTokenRequired_400", "LeadIdTokenStatusRequired_400"
FORM = OpenApiParameter("formId", str, description="Those of one form.")


def _form_data(id: str) -> JsonObject:
    services.get_form(id)
    return FormOut.one(Form.objects.filter(pk=id)) or {}


class FormViewSet(ResourceViewSet):
    module = services.MODULE
    nothing_selected = "NoFormSelected_400"
    listing = Listing("List forms", Form.objects.all, FORM_FIELDS, FormOut)

    @endpoint(
        "Create a form",
        input=FormCreate,
        output=FormOut,
        success="FormCreated_201",
        errors=WRONG,
        description="A draft: an own form with a public page, or one of an ad at a social platform.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _form_data(services.create_form(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a form", output=FormOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _form_data(id)

    @endpoint(
        "Update a form",
        input=FormUpdate,
        output=FormOut,
        success="FormUpdated_200",
        errors=(*NOT_FOUND, *WRONG, services.NO_FIELDS),
        description="Visitors of a published one see it at once.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_form(id=id, member_id=self.actor.member_id, **data)
        return _form_data(id)

    @endpoint(
        "Delete forms",
        input=FormDelete,
        output=Deleted,
        bulk=True,
        success="FormsDeleted_200",
        errors=(*NOT_FOUND, "NoFormSelected_400"),
        description="What was sent by them goes too; the leads stay.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_forms(selection=self.selection())}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Publish a form",
        output=FormOut,
        success="FormPublished_200",
        errors=(*NOT_FOUND, services.NO_FIELDS, INVALID, services.FORM_TOKEN, PAGE_TOKEN, NOT_SUBSCRIBED, BUSY),
        permission="PUT",
        description="Its page opens. A page at the platform is subscribed to tell of its leads.",
        transition=True,
    )
    def publish(self, request: Request, id: str) -> object:
        services.publish_form(id=id, member_id=self.actor.member_id)
        return _form_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Pause a form",
        output=FormOut,
        success="FormPaused_200",
        errors=(*NOT_FOUND, services.NOT_PUBLISHABLE),
        permission="PUT",
        description="Its page says that nothing is taken now, until it is published again.",
        transition=True,
    )
    def pause(self, request: Request, id: str) -> object:
        services.pause_form(id=id, member_id=self.actor.member_id)
        return _form_data(id)

    @action(detail=False, methods=["get"])
    @endpoint(
        "List the fields that answers can go to",
        description="Fields of leads and contacts that a form's mapping may name, custom fields included.",
        output=TargetsOut,
    )
    def targets(self, request: Request) -> object:
        return {"targets": [asdict(target) for target in targets(LeadSchema.load())]}


def _leads(request: ListRequest) -> Any:
    form = request.params.get("formId")
    return FormLead.objects.filter(form_id=form) if form else FormLead.objects.all()


class FormLeadViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List what was sent by forms", _leads, FORM_LEAD_FIELDS, FormLeadOut, parameters=(FORM,))

    @endpoint("Read what was sent by a form", output=FormLeadOut, errors=(NO_LEAD,))
    def retrieve(self, request: Request, id: str) -> object:
        return self._answer_data(id)

    @endpoint(
        "Try to make the lead again",
        input=FormLeadStatus,
        output=FormLeadOut,
        success="FormLeadUpdated_200",
        errors=(NO_LEAD, NO_STATUS),
        description="Of one that failed, by the status new; the others are set by what becomes of them.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        self._answer_data(id)
        if data.get("status") != FormLead.State.NEW:
            raise NamedError(NO_STATUS, "must be new, which tries a lead that failed again", field="status")
        leads_to_retry(FormLead.objects.filter(pk=id))
        return self._answer_data(id)

    def _answer_data(self, id: str) -> JsonObject:
        lead = FormLeadOut.one(FormLead.objects.filter(pk=id))
        if lead is None:
            raise NamedError(NO_LEAD, "nothing with this id was sent to this company", field="id")
        return lead


class PublicFormViewSet(CrossOriginViewSet):
    """Endpoints of public forms for programs; people use the page (outreach.site.forms.public)."""

    public = True
    singleton = True

    form: Form | None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.form = find_published(kwargs["token"])
        origin = request.headers.get("Origin", "")
        if self.form is not None and origin in self.form.allowed_origins:
            self.origin = origin

    @endpoint("Read a published form", output=PublicFormOut, errors=NOT_FOUND, limited=True)
    def retrieve(self, request: Request, token: str) -> object:
        READS.count(caller_of(request).network)
        form = self._form()
        shown = ("key", "label", "type", "required", "options", "help")
        return {
            "title": form.title or form.name,
            "text": form.text,
            "button": form.button,
            "colour": form.colour,
            "fields": [{name: field[name] for name in shown} for field in form.fields if field["type"] != "hidden"],
            "page": issue_page_id(form),
        }

    @endpoint(
        "Send a form",
        input=PublicSubmit,
        output=SubmittedOut,
        success="FormSubmitted_201",
        errors=(*NOT_FOUND, "WebsiteNotAllowed_403"),
        limited=True,
        description="At most five a minute by one network. A site that is none of allowedOrigins is refused.",
    )
    def create(self, request: Request, token: str, data: JsonObject) -> object:
        form = self._form()
        SUBMISSIONS.count(f"{form.pk} {caller_of(request).network}")
        if not fits_origin(form, request.headers.get("Origin"), (settings.BASE_URL,)):
            raise NamedError("WebsiteNotAllowed_403", "this form isn't available on this website", field="Origin")
        keys = {field["key"] for field in form.fields}
        unknown = [key for key in data["answers"] if key not in keys]
        if unknown:
            raise ValidationFailed(
                "answers: unknown", "the form has no such field", field=f"answers.{shorten(unknown[0], 60)}"
            )
        read = read_submission(form, data["answers"])
        if read.errors:
            key, text = next(iter(read.errors.items()))
            detail = "; ".join(f"answers.{name}: {problem}" for name, problem in read.errors.items())
            fields = [FieldError(field=f"answers.{name}", message=problem) for name, problem in read.errors.items()]
            raise ValidationFailed(f"answers.{key}: {text}", detail, errors=fields)
        page = read_page_id(form, data["page"]) if data["page"] else (new_id(), None)
        if page is None:
            raise ValidationFailed(
                "page is not valid", "read the form anew; this page was for another or is old", field="page"
            )
        utm = {name: value for name, value in data["utm"].items() if name in UTM and isinstance(value, str)}
        with company_scope(form.company_id):
            store_submission(form, page[0], read.answers, read_origin(utm, data["url"], data["referrer"]))
        return {"thanks": form.thanks, "redirectUrl": form.redirect_url}

    def _form(self) -> Form:
        if self.form is None:
            raise NamedError(services.NOT_FOUND, "there is no such form, or it takes nothing now", field="token")
        return self.form
