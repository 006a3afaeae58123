"""Telnet: everything in the byte stream that is not a command line, with options negotiated as in RFC 1143."""
