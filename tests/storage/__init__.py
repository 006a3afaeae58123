"""The stores: one suite of tests for each kind, with what is special to SQLite, records and verification."""
