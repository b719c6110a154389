"""The server log: each request to the API, written down beside it and kept for a while (docs/decisions/0007-server-log.md)."""
