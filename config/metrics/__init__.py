"""Figures for Prometheus at /metrics, for who has METRICS_TOKEN (docs/operations.md).

Requests are counted by the web processes of one server, in files that they share; queues, ages, workers and sends are
read from PostgreSQL when they are asked for, and are the same whichever server answers. No label names a company.
"""
