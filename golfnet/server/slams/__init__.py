"""Slam windows: what seats claim, how fast they were, and who was first.

The order of claims is the engine's only input.
"""
