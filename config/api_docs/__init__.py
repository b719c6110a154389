"""The documentation of the API: pages to read, a page to try it, and its OpenAPI schema.

Every operation is shown once. Doors are the mounts by which a company's operations are reached, with what they ask for.
"""
