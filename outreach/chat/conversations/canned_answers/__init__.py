"""Answers that members keep and choose from."""
