"""The hold: while its row exists, the service performs no action that reaches others (docs/operations.md).

A restored copy starts held, because the original service may still run, or may have sent messages that are still due in
the copy. Workers only do work with `while_held` (core.jobs.tasks). Requests open no connection to foreign hosts
(core.outbound), except to the buckets with files.
"""
