"""Reports, and questions that are answered from the records."""
