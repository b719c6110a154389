"""The demo's stand-in for the chat vendor, on loopback: it takes messages and templates, tells what became of them, and
lets people answer. No Django here."""

TOKEN = "demo"  # noqa: S105  of nobody
SECRET = "demo-secret"  # noqa: S105  of nobody
