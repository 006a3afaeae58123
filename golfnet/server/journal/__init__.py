"""The journal: stores events in batches, and releases the replies about them once they are durable."""
