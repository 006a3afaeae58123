"""Ownership of tables: a node takes over a silent node's tables, and gives its own away before it stops.

Invariants: a table is on one node at a time, and only the database moves it to another; a silent node is declared
gone only by a node whose own lease is valid. No player has to do anything.
"""
