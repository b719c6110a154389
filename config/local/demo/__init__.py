"""The demo company: made-up people, a sender that uses the mail catcher, and a banner with commands to try."""
