"""What a company decides about its outreach once for all."""
