"""A stand-in for the five payment gateways: their wire formats on one loopback port, with a page to pay on.

It moves no money. Tests and the demo use it; production never starts it.
"""
