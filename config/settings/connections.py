"""Servers and vendors that connected apps reach."""

from __future__ import annotations

from config.data_dir import data_dir
from config.demo_vendors import DEMO_CLIENT, demo_vendors
from config.env import base_urls, certificates_file, env, resolver_address
from config.settings.base import DEMO

OUTBOUND_PRIVATE_HOSTS = env.list("OUTBOUND_PRIVATE_HOSTS", default=["127.0.0.0/8"] if DEMO else [])
"""Private networks (CIDR) that connected apps may reach: none by default, the mail catcher in the demo."""
OUTBOUND_CA_FILE = certificates_file(env("OUTBOUND_CA_FILE", default=""))
"""Further certificate authorities of connected apps' servers, or certificates that sign themselves."""
TRACKING_HOST = env("TRACKING_HOST", default="").strip().rstrip(".").lower()
"""The name that companies' tracking hosts point to; empty: the host of BASE_URL."""
DNS_RESOLVERS = [resolver_address(text) for text in env.list("DNS_RESOLVERS", default=[])]
"""The name servers that deliverability checks ask, as (address, port); none: the system's."""
VENDOR_BASE_URLS = base_urls("VENDOR_BASE_URLS")
"""Addresses that replace those of vendors: connected app -> base URL."""
GOOGLE_CLIENT_ID = env("GOOGLE_CLIENT_ID", default="")
GOOGLE_CLIENT_SECRET = env("GOOGLE_CLIENT_SECRET", default="")
"""This service's client at Google, by which members log in to send by Gmail and to connect their calendars; without it
nobody can."""
if DEMO:
    VENDOR_BASE_URLS = {**demo_vendors(data_dir(), google=not GOOGLE_CLIENT_ID), **VENDOR_BASE_URLS}
    if not GOOGLE_CLIENT_ID and "gmail" in VENDOR_BASE_URLS:
        GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET = DEMO_CLIENT
MAIL_VENDOR_LETTERS = env.json("MAIL_VENDOR_LETTERS", default={})
"""Letter of /apps/mailvendor-x -> vendor, where it differs from outreach.connections.mail_vendors.registry."""
ANYMAIL: dict[str, str] = {}
"""Stays empty: a key in it would be used for every company that has none of its own (config.checks)."""
OCR_PYTHON = env("OCR_PYTHON", default="")
"""The Python that has rapidocr, which reads cards on this machine; empty: the service's own, if it has it."""
