"""PostgreSQL in place of the SQLite file: the same store, on a database server.

What stays true: the driver, psycopg, is imported only here, and ``opening`` imports the rest of the package only if a
PostgreSQL database is named. Every write passes the fence: a server that was declared gone can store nothing any more.
"""
