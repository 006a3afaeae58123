"""What each command does: one handler a verb, and the lists that commands answer with.

Only ``dispatch`` calls handlers.
"""
