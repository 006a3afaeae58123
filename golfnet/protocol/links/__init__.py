"""The protocol between two nodes about one connection: its frames, and the state of a session that moves.

Nothing here depends on players, tables or sockets.
"""
