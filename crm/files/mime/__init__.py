"""Decide from a file's content which of the 39 allowed file types it is.

The table is our own, because a refusal must be certain. `filetype` and `puremagic` know hundreds of types, but neither
distinguishes office formats, damaged files and the text family exactly enough for uploads.
"""

from crm.files.mime.sniffing import detect_type
from crm.files.mime.types import ALLOWED, INLINE_SAFE, is_inline_safe

__all__ = ["ALLOWED", "INLINE_SAFE", "is_inline_safe", "detect_type"]
