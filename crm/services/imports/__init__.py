"""Imports: a stored file's rows become contacts (docs/decisions has why in batches; the worker is `worker.run`)."""
