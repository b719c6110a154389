"""One search over records of all kinds. Each app registers its kinds (`register_kind`) when it is ready."""

from core.global_search.kinds import SEARCH_KINDS, Kind, register_kind

__all__ = ["SEARCH_KINDS", "Kind", "register_kind"]
