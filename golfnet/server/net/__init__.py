"""Bytes to and from peers: sockets, TLS, proxies and accepting connections.

Nothing here knows of players or tables.
"""
