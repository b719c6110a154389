"""The server log: each request to the API, stored for a limited time (docs/decisions/0007-server-log.md)."""
