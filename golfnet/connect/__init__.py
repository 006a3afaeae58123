"""Reaching a server from the other side, over TCP or TLS, and whom to trust there; used by every kind of client."""
