"""What the client knows, without a terminal and without a connection."""
