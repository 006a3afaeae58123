"""Whole golfnet servers, simulated: one thread, virtual time, and all randomness and faults determined by one seed.

Invariants: all of golfnet is real, from ``serve`` to the SQL of SQLite; only the machine is simulated:
clock, threads, sockets, disk and entropy. The same seed gives the same world, byte for byte.
"""
