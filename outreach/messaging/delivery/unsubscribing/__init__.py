"""The link by which recipients unsubscribe and subscribe again, and its page."""
