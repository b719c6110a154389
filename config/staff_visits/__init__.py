"""The pages of staff visits, the part of the back office that knows every route."""
