"""The endpoint of the global search."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.access import may_read
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.global_search.kinds import SEARCH_KINDS, Kind
from core.global_search.selectors import NEWEST, search
from core.global_search.serializers import SearchOut
from core.lists.parameters import page_size
from core.lists.search import check_visible
from core.lists.values import refuse

DEFAULT_SIZE, MAX_SIZE = 5, 20
MAX_TEXT = 200
PARAMETERS = (
    OpenApiParameter("q", str, required=True, description=f"what to look for, at most {MAX_TEXT} characters"),
    OpenApiParameter("kinds", str, description="comma-separated kinds of records; all of them unless given"),
    OpenApiParameter(
        "n",
        int,
        description=f"records of each kind: {DEFAULT_SIZE} unless given, {MAX_SIZE} at most, which more counts as",
    ),
)
DESCRIPTION = (
    "Finds the records that have each word of q in their name, address, number or the like, ignoring case: of each kind"
    " that the caller may read, those first whose name begins with q, then the newest. Words that very many records"
    f" have, and texts of one or two letters, are looked for among the newest {NEWEST} of each kind."
)


class SearchViewSet(ResourceViewSet):
    module = "contact"
    alternate_modules = (
        "lead",
        "product-service",
        "genie",
        "campaign",
        "segment",
        "tag",
        "contact-category",
        "team",
        "file",
        "apps",
        "member",
    )
    singleton = True

    @endpoint("Search all kinds of records", output=SearchOut, parameters=PARAMETERS, description=DESCRIPTION)
    def retrieve(self, request: Request) -> object:
        params = request.query_params
        text, size = _text(params), page_size(params, DEFAULT_SIZE, MAX_SIZE)
        kinds = [kind for kind in _kinds(params) if may_read(self.actor, kind.module)]
        hits = search(kinds, self.actor, text, size + 1)
        groups = []
        for name, rows in groupby(hits, key=lambda hit: hit.kind):
            records = [{"_id": hit.id, "title": hit.title, "text": hit.text} for hit in rows]
            groups.append({"kind": name, "records": records[:size], "hasMore": len(records) > size})
        return {"groups": groups}


def _text(params: Mapping[str, str]) -> str:
    text = " ".join(params.get("q", "").replace("\x00", "").split())
    if not text:
        raise refuse("q", "is required, and says what to look for")
    if len(text) > MAX_TEXT:
        raise refuse("q", f"has at most {MAX_TEXT} characters, got {len(text)}")
    check_visible(text, "q")
    return text


def _kinds(params: Mapping[str, str]) -> list[Kind]:
    names = {part.strip() for part in params.get("kinds", "").split(",")} - {""}
    kinds = sorted(SEARCH_KINDS.values(), key=lambda kind: kind.place)
    wrong = next((name for name in sorted(names) if name not in SEARCH_KINDS), None)
    if wrong is not None:
        raise refuse("kinds", f"{shorten(wrong, 40)!r} is none of {', '.join(kind.name for kind in kinds)}")
    return [kind for kind in kinds if not names or kind.name in names]
