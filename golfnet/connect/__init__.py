"""Connect to a server over TCP or TLS, decide whether to trust it, and reconnect; for every client."""
