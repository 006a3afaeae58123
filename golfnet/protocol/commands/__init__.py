"""Commands: one table says what a peer may send; parsing, help and completion are derived from it."""
