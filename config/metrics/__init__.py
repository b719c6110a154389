"""Figures for Prometheus at /metrics, protected by METRICS_TOKEN (docs/operations.md).

The web processes of one server count requests in shared files. Queues, ages, workers and sends are read from PostgreSQL
on request, and are the same on every server. No label names a company.
"""
