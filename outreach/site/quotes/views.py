"""Endpoints of quotes (an addition to the contract: docs/deviations/records.md)."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat, PermissionLacking
from core.types import JsonObject
from crm.records.serializers import AutomationInput
from outreach.messaging.delivery.senders import working_senders
from outreach.messaging.personal_mail.selectors import MAX_CHOICES
from outreach.messaging.personal_mail.services import REFUSED
from outreach.site.quotes import services
from outreach.site.quotes.filters import QUOTE_FIELDS
from outreach.site.quotes.models import Quote
from outreach.site.quotes.responses import pdf_response
from outreach.site.quotes.selectors import live_quotes
from outreach.site.quotes.sending import Mail, mark_sent, send_quote, usual_subject, usual_text
from outreach.site.quotes.serializers import (
    QuoteBulkUpdate,
    QuoteCreate,
    QuoteDelete,
    QuoteMail,
    QuoteRestore,
    QuoteSend,
    QuoteSettingsOut,
    QuoteSettingsUpdate,
    QuotesRestored,
    QuotesUpdated,
    QuoteUpdate,
    SalesQuoteOut,
)
from outreach.site.quotes.settings import change_settings, read_settings

MINE = OpenApiParameter("mine", bool, description="true: those whose owner is the member who asks")
VALUES = ("ProductServiceNotFound_400", "MemberNotFound_404", "MemberNotAccepted_400", "InvalidInput_400")
NOT_FOUND = services.NOT_FOUND
FIXED = services.FIXED
MAILS = (
    *("ContactNotFound_400", "LeadNotFound_400", "NoSMTPSelected_400", REFUSED, "InvalidPayload_400"),
    *(
        "InvalidVariables_400",
        "PlanLimitExceeded_403",
        "FileUploadFailed_400",
        "RecordChanged_409",
        "UnauthorizedAction_403",
    ),
)


def _listed(list_request: ListRequest) -> QuerySet[Quote]:
    """Return the quotes, or those of the member who asks."""
    mine = str(list_request.params.get("mine") or "false").lower()
    if mine not in ("true", "false"):
        raise InvalidFormat("mine", mine, "needs to be true or false", field="mine")
    return live_quotes().filter(owner=list_request.actor.member_id) if mine == "true" else live_quotes()


class QuoteViewSet(ResourceViewSet):
    module = "lead"
    listing = Listing(
        "List quotes",
        _listed,
        QUOTE_FIELDS,
        SalesQuoteOut,
        description="Each version is a quote of its own. Those of deleted leads are left out. The latest versions are"
        ' found by filters={"current": true}.',
        parameters=(MINE,),
    )

    @endpoint(
        "Create a quote",
        input=QuoteCreate,
        output=SalesQuoteOut,
        success="QuoteCreated_201",
        errors=("LeadNotFound_400", *VALUES),
        description="A draft, with the next number of the company. Money is rounded half up to the currency's decimals:"
        " the amount of each line, and the tax of each rate on the sum of its lines. Emits quote.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        lead_id = data.pop("lead")
        quote = services.create_quote(
            actor_id=self.actor.member_id, lead_id=lead_id, values=data, automation=automation
        )
        return self._one(quote.pk)

    @endpoint(
        "Update many quotes",
        input=QuoteBulkUpdate,
        output=QuotesUpdated,
        bulk=True,
        success="QuotesUpdated_200",
        errors=(NOT_FOUND, FIXED, *VALUES),
        description="All or none: the owner of any, the last day of drafts. Emits quote.updated for each that is"
        " different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        values: JsonObject = {name: data[name] for name in ("valid_until", "owner") if name in data}
        matched, changed = services.update_quotes(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            values=values,
            automation=data["automation"] != "skip",
        )
        return {"matchedCount": matched, "updatedCount": changed}

    @endpoint(
        "Delete quotes",
        input=QuoteDelete,
        output=Deleted,
        bulk=True,
        success="QuotesDeleted_200",
        errors=(NOT_FOUND,),
        description="Their links no longer work. Emits quote.deleted for each. POST /quote/restore brings them back"
        " within 30 days.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = services.delete_quotes(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return {"deletedCount": deleted}

    @endpoint(
        "Read a quote",
        output=SalesQuoteOut,
        errors=(NOT_FOUND,),
        description="One version, with its lines and sums.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        return self._one(id)

    @endpoint(
        "Update a quote",
        input=QuoteUpdate,
        output=SalesQuoteOut,
        success="QuoteUpdated_200",
        errors=(NOT_FOUND, FIXED, *VALUES),
        description="What is not given stays. A quote that was sent changes its owner alone; POST /quote/:id/revise"
        " makes its next version. Emits quote.updated.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        services.update_quote(id=id, actor_id=self.actor.member_id, values=data, automation=automation)
        return self._one(id)

    @endpoint(
        "Delete a quote",
        input=AutomationInput,
        success="QuoteDeleted_200",
        errors=(NOT_FOUND,),
        description="Its link no longer works. Emits quote.deleted. POST /quote/restore brings it back within 30 days.",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> None:
        services.delete_quote(id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip")

    @action(detail=False, methods=["post"])
    @endpoint(
        "Restore deleted quotes",
        input=QuoteRestore,
        output=QuotesRestored,
        success="QuotesRestored_200",
        errors=(NOT_FOUND,),
        description="All or none. Emits quote.restored for each.",
    )
    def restore(self, request: Request, data: JsonObject) -> object:
        restored = services.restore_quotes(
            actor_id=self.actor.member_id, ids=data["ids"], automation=data["automation"] != "skip"
        )
        return {"restoredCount": restored}

    @action(detail=True)
    @endpoint(
        "Download a quote as PDF",
        raw="application/pdf",
        errors=(NOT_FOUND,),
        description="In the company's brand and formats.",
    )
    def pdf(self, request: Request, id: str) -> object:
        quote = live_quotes().select_related("contact", "lead__organization").filter(pk=id).first()
        if quote is None:
            raise services.not_found()
        return pdf_response(quote)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Send a quote by email",
        input=QuoteSend,
        output=SalesQuoteOut,
        success="QuoteSent_200",
        errors=(NOT_FOUND, FIXED, *MAILS),
        description="With the PDF attached and the link to its page, by the delivery of emails to one person, which"
        " also takes genie.POST. A draft becomes sent. Emits quote.sent.",
    )
    def send(self, request: Request, id: str, data: JsonObject) -> object:
        automation = data.pop("automation") != "skip"
        if not self.actor.may("genie", "POST"):
            raise PermissionLacking("genie.POST")
        send_quote(id=id, actor_id=self.actor.member_id, mail=Mail(**data), automation=automation)
        return self._one(id)

    @send.mapping.get
    @endpoint(
        "Read the usual email of a quote",
        output=QuoteMail,
        errors=(NOT_FOUND,),
        description="Subject and text that POST sends unless it is given others, and the senders to choose from.",
    )
    def usual_mail(self, request: Request, id: str) -> object:
        quote = live_quotes().filter(pk=id).first()
        if quote is None:
            raise services.not_found()
        return {"subject": usual_subject(quote), "text": usual_text(quote), "senders": working_senders(MAX_CHOICES)}

    @action(detail=True, methods=["post"], url_path="mark-sent")
    @endpoint(
        "Mark a quote as sent",
        input=AutomationInput,
        output=SalesQuoteOut,
        success="QuoteSent_200",
        errors=(NOT_FOUND, FIXED),
        description="For a quote that reaches the customer in another way. Its link works from then on. Emits"
        " quote.sent.",
    )
    def mark_sent(self, request: Request, id: str, data: JsonObject) -> object:
        mark_sent(id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip")
        return self._one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Revise a quote",
        input=AutomationInput,
        output=SalesQuoteOut,
        success="QuoteRevised_200",
        errors=(NOT_FOUND, FIXED),
        description="Makes the next version as a draft; the former one can no longer be accepted, and its page says so."
        " Emits quote.created.",
    )
    def revise(self, request: Request, id: str, data: JsonObject) -> object:
        revision = services.revise_quote(id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip")
        return self._one(revision.pk)

    def _one(self, id: str) -> JsonObject:
        quote = SalesQuoteOut.one(live_quotes().filter(pk=id))
        if quote is None:
            raise services.not_found()
        return quote


class QuoteSettingsViewSet(ResourceViewSet):
    module = "lead"
    alternate_modules = ("settings",)
    singleton = True

    @endpoint(
        "Read the settings for quotes",
        output=QuoteSettingsOut,
        description="Numbers, validity and terms of new quotes, and where leads move.",
    )
    def retrieve(self, request: Request) -> object:
        return read_settings()

    @endpoint(
        "Change the settings for quotes",
        input=QuoteSettingsUpdate,
        output=QuoteSettingsOut,
        module="settings",
        alternate_modules=(),
        success="QuoteSettingsUpdated_200",
        errors=("StageNotFound_404",),
        description="Numbers, validity and terms of new quotes, and where leads move. What is not given stays.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        change_settings(member_id=self.actor.member_id, values=data)
        return read_settings()
