"""Several real nodes on a real PostgreSQL, and the failures they must survive.

Invariants: everything here is a real process, a real socket and a real database; judges know only what the programs
were told and what the database has.
"""
