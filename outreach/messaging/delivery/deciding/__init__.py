"""The decision about a message: send now, later or never, with the reason."""
