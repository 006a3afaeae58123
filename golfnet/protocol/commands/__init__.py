"""Commands: one table says what a peer may send; parsing, help and completion are made from it."""
