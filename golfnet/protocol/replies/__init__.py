"""Replies: what a peer is sent, as typed values and as JSON, and how events change a peer's view."""
