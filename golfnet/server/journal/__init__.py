"""Disk before players: events are stored in groups, and what tells of them is sent when they are durable."""
