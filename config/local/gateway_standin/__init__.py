"""Simulated gateways: the wire formats of the five payment gateways on one loopback port, with a page to pay on.

They move no money. Tests and the demo use them; production never starts them.
"""
