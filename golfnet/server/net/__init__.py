"""Connections: sockets, TLS, proxies, and accepting peers. Nothing here knows about players or tables."""
