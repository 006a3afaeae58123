"""The protocol that two nodes speak for one connection: its frames, and the state of a session that moves.

Nothing here depends on players, tables or sockets.
"""
