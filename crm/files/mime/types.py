"""The allowed file types, and those that a browser may show in place."""

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
CSV, TSV, PLAIN, HTML = "text/csv", "text/tab-separated-values", "text/plain", "text/html"

# The contract names the first eight; the other 31 are what users of a CRM attach. image/jpg is a second name that sniff() never gives.
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
    "text/vcard",
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

# Types that run no script in the page's origin and that browsers show. SVG, HTML and XML never belong here.
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
    """Whether a download of this type may be shown in the browser; everything else goes out as an attachment."""
    return mime in INLINE_SAFE
