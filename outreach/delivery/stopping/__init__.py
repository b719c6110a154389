"""What ends messages that wait: follow-ups that are due no longer, and those that would never go."""
