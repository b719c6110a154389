"""Endpoints of saved views."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.saved_views.filters import SAVED_VIEW_FIELDS
from crm.saved_views.models import SavedView
from crm.saved_views.serializers import SavedViewCreate, SavedViewDelete, SavedViewOut, SavedViewUpdate
from crm.saved_views.services import create_view, delete_views, not_found, update_view, visible_views

WHOSE = (
    "Views are of contacts or leads, and open to whoever may read these. One's own are seen by nobody else. Shared ones"
    " are changed and deleted by who made them, or by a role with the permission settings.PUT;"
    " sharing one takes the permission to change the list's records."
)
CHANGE_ERRORS = ("InvalidInput_400", "InvalidRequest_400", "SavedViewNameAlreadyExists_400")


def listed_views(list_request: ListRequest) -> QuerySet[SavedView]:
    """Return the views that the actor sees."""
    return visible_views(list_request.actor)


class SavedViewViewSet(ResourceViewSet):
    module = "contact"
    alternate_modules = ("lead",)
    listing = Listing("List saved views", listed_views, SAVED_VIEW_FIELDS, SavedViewOut, description=WHOSE)

    @endpoint(
        "Save a view",
        input=SavedViewCreate,
        output=SavedViewOut,
        permission="GET",
        success="SavedViewCreated_201",
        errors=(*CHANGE_ERRORS, "SavedViewLimitReached_400", "PlanDoesNotIncludeThisFeature_400"),
        description=f"A member keeps at most 50. {WHOSE}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._view_data(create_view(actor=self.actor, values=data).pk)

    @endpoint(
        "Delete saved views",
        input=SavedViewDelete,
        output=Deleted,
        bulk=True,
        permission="GET",
        success="SavedViewsDeleted_200",
        errors=("SavedViewNotFound_404",),
        description=WHOSE,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_views(actor=self.actor, selection=self.selection())}

    @endpoint("Read a saved view", output=SavedViewOut, errors=("SavedViewNotFound_404",), description=WHOSE)
    def retrieve(self, request: Request, id: str) -> object:
        return self._view_data(id)

    @endpoint(
        "Update a saved view",
        input=SavedViewUpdate,
        output=SavedViewOut,
        permission="GET",
        success="SavedViewUpdated_200",
        errors=("SavedViewNotFound_404", *CHANGE_ERRORS),
        description=f"What is not given stays; a query replaces the one before. {WHOSE}",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self._view_data(update_view(actor=self.actor, id=id, values=data).pk)

    def _view_data(self, id: str) -> JsonObject:
        view = SavedViewOut.one(visible_views(self.actor).filter(pk=id))
        if view is None:
            raise not_found()
        return view
