"""PostgreSQL instead of the SQLite file: the same store, on a database server.

Invariants: the driver, psycopg, is imported only here, and ``opening`` imports the rest of the package only if a
PostgreSQL database is named. Every write passes the fence: a server that has been declared gone can store nothing.
"""
