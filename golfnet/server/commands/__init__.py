"""What each command does: ``dispatch`` alone finds and calls the handlers, which are in one module for each subject.

A new command is a ``CommandSpec`` in the protocol and a handler here.
"""
