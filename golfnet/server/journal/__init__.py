"""The journal: events are stored in batches, and players are sent what tells of them once they are durable."""
