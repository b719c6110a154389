"""The demo's stand-ins for others' servers, in one process: mail catcher, payment gateways, chat vendor, Google.

No Django here.
"""
