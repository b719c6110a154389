"""Whether a message goes now, later or never, and why."""
