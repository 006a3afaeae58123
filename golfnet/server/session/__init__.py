"""One peer's stay.

its lines in order, its replies in order and durable, its round trips, and the player behind it.
"""
