"""How fast Leadwright is, as ratios to what PostgreSQL and plain Python do on the same machine in the same run (docs/benchmarks.md)."""
