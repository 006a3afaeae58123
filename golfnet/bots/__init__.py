"""Bots: programs that play, with the same view of the table as a person at their seat.

``arena`` and ``contest`` play bots against each other; ``player`` is what a server drives. The rooms run one way:
``levels`` (how bots choose) use ``values`` (what layouts and actions are worth), and these ``knowledge`` (what a seat
knows).
"""
