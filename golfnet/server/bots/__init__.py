"""Bots at tables: when they choose, and in which thread."""
