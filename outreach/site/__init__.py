"""Public pages of a company: forms, booking pages and its own domain."""
