"""Connections: sockets, TLS, proxies, and accepting peers. Nothing here knows of players or tables."""
