"""Measurements, which are never run as tests: ``python -m tests.benchmarks NAME`` prints a table."""
