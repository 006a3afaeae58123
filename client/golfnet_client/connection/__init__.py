"""Connections to servers: on the local network, elsewhere, or in this process. Depends on trio but on no screen."""
