"""Telnet: what comes before a line and around it, with options by RFC 1143. It knows bytes, and no command."""
