"""Connections to servers: on the local network, elsewhere, or in this process. Uses trio, but no screen code."""
