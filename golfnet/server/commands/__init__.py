"""What each command does: ``dispatch`` finds and calls the handlers, which are in one module per subject.

A new command needs a ``CommandSpec`` in the protocol and a handler here.
"""
