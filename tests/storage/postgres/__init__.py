"""Tests of what only stores in PostgreSQL have: connections, the fence and migrations."""
