"""The demo company: made-up people, a sender that goes to the mail catcher, and lines to try it with."""
