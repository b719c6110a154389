"""The base of the members' pages: their requests, their calls to the API, and their parts (docs/web.md)."""
