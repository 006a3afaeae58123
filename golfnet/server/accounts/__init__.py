"""The players: names, tokens, passwords, and what the operator forbids. Nothing here knows of tables."""
