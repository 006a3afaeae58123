"""``golfnet bot``: a bot that plays on any server through the public protocol.

``client`` and ``player`` do no I/O: replies and times go in, command lines come out. ``command`` has the connection.
"""

from golfnet.cli.bot.command import DESCRIPTION, EPILOG, add_arguments, run

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]
