"""Every address of the service: a URL conf per authentication path, web for everything but the API, and their root."""
