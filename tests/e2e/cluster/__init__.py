"""Several real nodes on a real PostgreSQL, and whatever can happen to them: the failure matrix, row by row.

Invariants: everything here is a real process, a real socket and a real database; judges know only what programs
were told and what the database has.
"""
