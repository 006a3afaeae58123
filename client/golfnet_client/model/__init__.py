"""The client's state, independent of terminal and connection."""
