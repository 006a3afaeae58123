"""Faults planted in golfnet on purpose, to check that tests and simulated worlds find them."""
