"""The documentation of the API: pages to read, a page to try it, and its OpenAPI schema.

Every operation is shown once. A door is a mount through which the operations of a company are called, with the headers
that it requires.
"""
