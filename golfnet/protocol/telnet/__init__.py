"""Telnet: everything in the byte stream that is not a command line, with options by RFC 1143."""
