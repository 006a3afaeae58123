"""What each command does: ``dispatch`` alone finds and calls the handlers, which have one module per subject.

A new command needs a ``CommandSpec`` in the protocol and a handler here.
"""
