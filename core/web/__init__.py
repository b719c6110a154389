"""The base of the members' pages: how one is asked for, what it asks the API, and its parts (docs/web.md)."""
