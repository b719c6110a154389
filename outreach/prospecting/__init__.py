"""New leads: sources of leads, generation and enrichment."""
