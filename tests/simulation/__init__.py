"""Whole golfnet servers, simulated: one thread, virtual time, and all chance and all faults from one seed.

What stays true: everything of golfnet is real, from ``serve`` to the statements of SQLite; only the machine is not:
clock, threads, sockets, disk and entropy are those of the simulation. The same seed gives the same world, to the byte.
"""
