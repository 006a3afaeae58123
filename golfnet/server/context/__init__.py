"""What the parts of a table share: its chairs, its set-up, and the few things that a part may do to it."""
