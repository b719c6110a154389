"""The allowed file types, and those that a browser may show inline."""

from __future__ import annotations

OOXML = "application/vnd.openxmlformats-officedocument."
ODF = "application/vnd.oasis.opendocument."
DOCX = f"{OOXML}wordprocessingml.document"
XLSX = f"{OOXML}spreadsheetml.sheet"
PPTX = f"{OOXML}presentationml.presentation"
ODT = f"{ODF}text"
ODS = f"{ODF}spreadsheet"
ODP = f"{ODF}presentation"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
VCARD = "text/vcard"
CSV = "text/csv"
TSV = "text/tab-separated-values"
PLAIN = "text/plain"
HTML = "text/html"

# The contract names the first eight; users of a CRM attach the other 31. image/jpg is a second name that sniff() never
# returns.
ALLOWED: tuple[str, ...] = (
    "image/jpeg",
    "image/jpg",
    "image/png",
    "image/gif",
    "image/bmp",
    "image/tiff",
    "image/svg+xml",
    "application/pdf",
    "image/webp",
    "image/heic",
    "image/avif",
    DOC,
    DOCX,
    XLS,
    XLSX,
    PPT,
    PPTX,
    ODT,
    ODS,
    ODP,
    "application/rtf",
    CSV,
    TSV,
    PLAIN,
    HTML,
    "application/json",
    "application/xml",
    VCARD,
    "text/calendar",
    "message/rfc822",
    MSG,
    "application/zip",
    "audio/mpeg",
    "audio/mp4",
    "audio/wav",
    "audio/ogg",
    "video/mp4",
    "video/quicktime",
    "video/webm",
)

# Types that browsers show without running a script in the page's origin. SVG, HTML and XML never belong here.
INLINE_SAFE: frozenset[str] = frozenset(
    {
        "image/jpeg",
        "image/jpg",
        "image/png",
        "image/gif",
        "image/bmp",
        "image/webp",
        "image/avif",
        "application/pdf",
        "audio/mpeg",
        "audio/mp4",
        "audio/wav",
        "audio/ogg",
        "video/mp4",
        "video/webm",
    }
)


def is_inline_safe(mime: str) -> bool:
    """Return whether a browser may show a download of this type; all others are sent as attachments."""
    return mime in INLINE_SAFE
