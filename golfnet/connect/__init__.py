"""Reaching a server from the other side, over TCP or TLS, whom to trust there, and coming back; for every client."""
