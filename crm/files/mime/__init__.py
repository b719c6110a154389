"""Decide from a file's content which of the 39 allowed file types it is.

The table is our own: `filetype` and `puremagic` know hundreds of types, but neither tells office formats, damaged files
and the text family apart exactly enough for uploads, and a refusal must be certain.
"""

from crm.files.mime.sniffing import sniff
from crm.files.mime.types import ALLOWED, INLINE_SAFE, inline_safe

__all__ = ["ALLOWED", "INLINE_SAFE", "inline_safe", "sniff"]
