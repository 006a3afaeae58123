"""The terminal client: a screen for the line protocol, sharing only engine and protocol with the server."""
