"""Scaleway: it has no webhooks."""

from __future__ import annotations

from outreach.connections.mail_vendors.vendors.base import MailVendor, Probe, Setting


class Scaleway(MailVendor):
    key = "scaleway"
    name = "Scaleway"
    key_label = "Secret key"
    base_urls = {"fr-par": "https://api.scaleway.com/transactional-email/v1alpha1/regions/fr-par/"}
    options = {"secret_key": "api_key", "project_id": "subaccount"}
    settings = (Setting(column="subaccount", label="Project id", required=True),)
    probe = Probe(path="emails?page_size=1", headers={"X-Auth-Token": "{api_key}"})
    tracking = ()
    has_webhooks = False
