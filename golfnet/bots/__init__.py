"""Bots: programs that play, with the same view of the table as a person at their seat.

``levels`` makes a bot, a server drives it through a ``BotPlayer``, and ``arena`` measures bots against each other.
``coach`` explains to players what ``hard`` would do. Everything else is about how bots choose: what a seat knows, and
what layouts and actions are worth.
"""
