"""The pages of senders."""

from outreach.connections.senders.pages.smtp import NewSender, Sender, SenderPage, Senders
from outreach.connections.senders.pages.vendors import NewVendorApp, VendorApp, VendorReturn

PAGES = [Senders, NewSender, NewVendorApp, VendorReturn, Sender, VendorApp]
__all__ = ["PAGES", "SenderPage"]
