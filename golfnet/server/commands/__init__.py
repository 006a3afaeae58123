"""What each command does: ``dispatch`` finds its handler, in a module for each subject, and only it calls handlers.

A new command is a ``CommandSpec`` in the protocol and a handler here.
"""
