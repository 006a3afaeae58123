"""Sessions that move between nodes: links, hand-overs, and relays.

A session runs on the node of its player's table. The node that has the player's socket, the front, sends lines there
and writes the replies to the socket. Invariants: there is at most one link between the player and the session; a player
whom another node does not accept comes back; over a link, the front gets nothing about a table except what is sent to
the player.
"""
