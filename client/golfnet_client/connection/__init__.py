"""Connections to servers: found on the local network, far away, or in this process. It knows trio and no screen."""
