"""Faults to be put into golfnet on purpose, a patch each: a simulation that does not find them is worth nothing."""
