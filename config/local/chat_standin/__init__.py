"""The demo's simulated chat vendor, on loopback. It accepts messages and templates, reports their outcomes, and
sends replies. No Django here."""

TOKEN = "demo"  # noqa: S105  of nobody
SECRET = "demo-secret"  # noqa: S105  of nobody
