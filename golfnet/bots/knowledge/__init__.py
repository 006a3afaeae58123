"""What a seat knows: its memory of masked events, and that memory with a view as numbers. Nothing below sees more."""
