"""Faults put into golfnet on purpose: tests and simulated worlds that do not find them are worth nothing."""
