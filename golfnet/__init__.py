"""golfnet: the card game Golf, played over a line protocol.

The version below is the only one: packaging and the greeting read it from here.
"""

__version__ = "0.2.0"
