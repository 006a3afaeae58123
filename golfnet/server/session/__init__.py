"""Sessions: each handles one peer's lines and replies in order, measures its round trips, and knows its player.

A session writes to a transport and calls a server; it knows nothing about commands or tables.
"""
