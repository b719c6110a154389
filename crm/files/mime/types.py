"""The allowed file types, and those that a browser may show inline."""

from __future__ import annotations

OOXML = "application/vnd.openxmlformats-officedocument."
ODF = "application/vnd.oasis.opendocument."
DOCX, XLSX, PPTX = (
    f"{OOXML}wordprocessingml.document",
    f"{OOXML}spreadsheetml.sheet",
    f"{OOXML}presentationml.presentation",
)
ODT, ODS, ODP = f"{ODF}text", f"{ODF}spreadsheet", f"{ODF}presentation"
DOC, XLS, PPT, MSG = (
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.ms-outlook",
)
VCARD = "text/vcard"
CSV, TSV, PLAIN, HTML = "text/csv", "text/tab-separated-values", "text/plain", "text/html"

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


def inline_safe(mime: str) -> bool:
    """Return whether a browser may show a download of this type; all others are sent as attachments."""
    return mime in INLINE_SAFE
