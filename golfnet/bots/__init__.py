"""Bots: programs that play, with the same view of the table as a person at their seat.

``arena`` measures bots against each other; ``levels`` makes one, and ``player`` is what a server drives; ``coach`` says
what the best of them would do. Everything else is how bots choose: from what a seat knows, by what layouts and actions
are worth.
"""
