"""Bodies of the endpoints that mail a link or take one."""

from __future__ import annotations

from core.api.input import Input, TextInput


class MailedLink(Input):
    token = TextInput(max_length=1000, help_text="From the link in the mail")


class AddressOnly(Input):
    email = TextInput(max_length=254)
