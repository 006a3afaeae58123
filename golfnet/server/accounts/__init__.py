"""Players: names, tokens, passwords, and the operator's sanctions. Nothing here knows about tables."""
