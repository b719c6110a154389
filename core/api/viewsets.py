"""The base of ViewSets: @endpoint declares their actions, `listing` their list."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, cast

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.viewsets import ViewSetMixin

from core.api.endpoint import Endpoint
from core.api.filters import FieldFilter, IdFilter, OrderingFilter, SearchFilter, read_query
from core.api.listing import Listing, ListRequest, list_handler
from core.api.metadata import ResourceMetadata
from core.api.output import Output
from core.api.pagination import ListPagination
from core.api.views import ApiView
from core.errors import ApiError
from core.lists import BulkSelection, ListQuery

COLLECTION = {"get": "list", "post": "create", "put": "bulk_update", "delete": "bulk_destroy"}
DETAIL = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}
SINGLETON = {**DETAIL, "post": "create"}
METHODS = ("get", "post", "put", "patch", "delete")


class ResourceViewSet(ViewSetMixin, ApiView, GenericAPIView[Model]):
    """Base of the views of resources. A class with `abstract=True` is only a base of others.

    Actions at the collection: list (made from `listing`), create, bulk_update (PUT), bulk_destroy (DELETE). At a
    record: retrieve, update, partial_update, destroy. Anything else is an @action above its @endpoint.
    """

    lookup_url_kwarg: str = "id"
    """The path parameter with the record's id."""
    listing: ClassVar[Listing]
    filter_backends = (SearchFilter, FieldFilter, IdFilter, OrderingFilter)
    pagination_class = ListPagination
    metadata_class = ResourceMetadata
    singleton: ClassVar[bool] = False
    """There is one record and no list: its actions and create are at the collection's address."""
    every_method: ClassVar[bool] = False
    """Every method at the collection's address answers as GET does."""
    nothing_selected: ClassVar[str] = "InvalidRequest_400"
    """The name of the error of a bulk request that selects nothing."""
    abstract: ClassVar[bool] = True
    collection_actions: ClassVar[Mapping[str, str]] = COLLECTION
    """HTTP method -> action at the collection's address."""
    detail_actions: ClassVar[Mapping[str, str]] = DETAIL

    answering_listing: Listing
    """The list that answers (set by answer_list)."""
    list_query: ListQuery
    """The request for the list (set by filter_queryset)."""
    chosen_fields: Collection[str] | None
    """The fields that the records of the list have (set by filter_queryset). None: all."""
    listed: QuerySet[Any]
    """The rows of the list before the filters that the query names (set by filter_queryset)."""

    def __init_subclass__(cls, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.abstract = abstract
        if "listing" in cls.__dict__ and "list" not in cls.__dict__:
            cls.list = list_handler(cls.listing, "list")  # type: ignore[attr-defined]
        collection, detail = cls._standard_actions()
        cls.collection_actions = collection
        cls.detail_actions = detail
        cls._check_actions()
        cls._check_access_classes()

    @classmethod
    def _standard_actions(cls) -> tuple[Mapping[str, str], Mapping[str, str]]:
        collection, detail = (SINGLETON, {}) if cls.singleton else (COLLECTION, DETAIL)
        if cls.every_method:
            collection = dict.fromkeys(METHODS, collection["get"])
        return collection, detail

    @classmethod
    def _check_actions(cls) -> None:
        """Refuse a class with an action without permission or declaration, or with a declaration without a route."""
        for name in METHODS:
            if hasattr(cls, name):
                raise ImproperlyConfigured(f"{cls.__name__}.{name} is a method; a ViewSet has actions")
        further: list[Any] = cls.get_extra_actions()
        extra = [name for action in further for name in action.mapping.values()]
        routed = {*cls.collection_actions.values(), *cls.detail_actions.values(), *extra}
        declared = {name for name in dir(cls) if isinstance(getattr(getattr(cls, name), "endpoint", None), Endpoint)}
        for name in sorted(action for action in routed if hasattr(cls, action)):
            if name not in declared:
                raise ImproperlyConfigured(f"{cls.__name__}.{name} is not declared with @endpoint")
            own = getattr(cls, name).endpoint.module
            if not (cls.abstract or cls.public or cls.private or cls.module is not None or own is not None):
                raise ImproperlyConfigured(f"{cls.__name__} declares no permission module")
        for further_action in further:
            if "get" in further_action.mapping and {"put", "patch"} & further_action.mapping.keys():
                # Only `retrieve` has an ETag, and is what a body that repeats the record is compared with.
                raise ImproperlyConfigured(f"{cls.__name__}.{further_action.__name__}: a record needs its own ViewSet")
        if lost := sorted(declared - routed):
            raise ImproperlyConfigured(f"{cls.__name__}.{lost[0]} is declared, and no address leads to it")

    @classmethod
    def _check_access_classes(cls) -> None:
        """Refuse a class or an @action that drops permission or throttle classes or filter backends of its base."""
        further: list[Any] = cls.get_extra_actions()
        for name in ("permission_classes", "throttle_classes", "filter_backends"):
            assigned = [getattr(cls, name), *(action.kwargs[name] for action in further if name in action.kwargs)]
            if not all({*getattr(ResourceViewSet, name)} <= {*classes} for classes in assigned):
                raise ImproperlyConfigured(f"{cls.__name__}: {name} lacks classes of ResourceViewSet")

    @property
    def shown(self) -> type[Output] | None:
        """The output of a record as GET shows it."""
        declared = getattr(getattr(self, "retrieve", None), "endpoint", None)
        return None if declared is None else declared.output

    @property
    def has_etag(self) -> bool:
        """Return whether the record has an ETag. It has one if GET returns the record in a declared form."""
        declared = getattr(getattr(self, "retrieve", None), "endpoint", None)
        return declared is not None and declared.output is not None and not (declared.many or declared.raw)

    def stored(self, path: Mapping[str, str]) -> Any:
        """Return the record at the path as GET shows it, or None if there is none."""
        retrieve = getattr(type(self), "retrieve", None)
        try:
            return None if retrieve is None else retrieve.__wrapped__(self, self.request, **path)
        except ApiError:
            return None

    def list_request(self) -> ListRequest:
        """Return the request in the form that a Listing takes."""
        return ListRequest(self.request.query_params, self.kwargs, getattr(self, "actor", None))

    def answer_list(self, listing: Listing) -> Any:
        """Answer with a list: a page, or the whole list as a stream."""
        self.answering_listing = listing
        with listing.scope():
            queryset = self.get_queryset()
            within = listing.containing_record(self.list_request())
            page = self.paginate_queryset(self.filter_queryset(queryset))
            if page is None:
                return cast(ListPagination, self.paginator).get_streamed_response(within)
            data = page if within is None else {**within[0], within[1]: page}
            return self.get_paginated_response(data)

    def get_queryset(self) -> QuerySet[Any]:
        """Return the rows of the list that answers, before its filters."""
        return self.answering_listing.rows(self.list_request())

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Parse the query string, then narrow and order the rows of the list that answers.

        A ViewSet's own backends come before those of the query, so that `listed` has their conditions too.
        """
        query, names = read_query(self.request, self.answering_listing)
        self.list_query = query
        self.chosen_fields = names
        inherited = ResourceViewSet.filter_backends
        for backend in (backend for backend in self.filter_backends if backend not in inherited):
            queryset = backend().filter_queryset(self.request, queryset, self)
        self.listed = queryset
        for list_filter in inherited:
            queryset = list_filter().filter_queryset(self.request, queryset, self)
        return queryset

    def selection(self) -> BulkSelection:
        """Parse which records of the ViewSet's list a bulk request selects."""
        nothing = self.nothing_selected
        return BulkSelection.parse(self.request.data, self.request.query_params, self.listing.fields, nothing=nothing)
