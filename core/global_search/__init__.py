"""One search over records of all kinds. Each domain registers its kinds (`register_kind`)."""

from core.global_search.kinds import SEARCH_KINDS, Kind, register_kind

__all__ = ["SEARCH_KINDS", "Kind", "register_kind"]
