"""A company's settings for its outreach."""
