"""Web pages that mails lead to: they work without any front end, by the services that the API uses."""
