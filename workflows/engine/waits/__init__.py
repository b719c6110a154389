"""What runs wait for beside the time: calls, events, other runs and members, and where the answers come."""
