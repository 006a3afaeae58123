"""Replies: what a peer is sent, as typed values and as JSON, and the fold of events into views. No sentences."""
