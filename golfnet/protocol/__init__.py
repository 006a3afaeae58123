"""The wire protocol, sans-IO: bytes to typed commands, typed replies to bytes; no socket, no clock."""
