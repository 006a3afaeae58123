"""Whose the tables are: a node takes over what a silent one had, and gives its own away before it stops.

What stays true: a table is at one node at a time, and goes to another by the database's word alone; who is silent is
judged only by a node that is sure of itself. No player is asked to do anything.
"""
