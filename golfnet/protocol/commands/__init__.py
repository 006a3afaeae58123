"""Commands: a table of everything that a peer may send, and the parsing, help and completion derived from it."""
