"""What two nodes of one server say to each other about a connection: frames, and a session's state on its way.

Nothing here knows of players, tables or sockets.
"""
