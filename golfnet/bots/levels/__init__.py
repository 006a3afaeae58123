"""How bots choose: one module per level, the parts they share, and a factory that creates a bot by level."""
