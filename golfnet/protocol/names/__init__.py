"""Names: which a player may have, and which look alike."""
