"""What members have between two times: meetings and follow-ups together."""
