"""Benchmarks of Leadwright, as ratios to PostgreSQL and plain Python on the same machine (docs/benchmarks.md)."""
