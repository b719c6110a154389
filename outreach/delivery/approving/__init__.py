"""What people approve of a message, and how long that holds."""
