"""The stores: tests that every kind must pass, and tests of SQLite, PostgreSQL, records and verification."""
