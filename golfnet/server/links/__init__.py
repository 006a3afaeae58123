"""Sessions that go from node to node: links between nodes, hand-overs, and relays.

A session runs where its player's table is. The node with the player's socket, its front, sends lines there, and writes
what comes back. What stays true: between the player and the session there is one link at the most; a player is
forgotten by one node only when the other has let it in, and a hand-over that fails leaves it as it was; a link carries
what the player gets, and nothing else.
"""
