"""The sessions: one peer's lines and replies in order, its round trips, and the player behind it.

A session writes to a transport and calls a server; it knows neither commands nor tables.
"""
