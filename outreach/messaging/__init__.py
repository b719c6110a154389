"""Messages on their way: delivery, suppression, deliverability, tracking, the inbox and mail templates."""
